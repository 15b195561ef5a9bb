import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { hostFile } from './data-folder.ts'

const hostSchema = z.object({
  pid: z.number().int().positive(),
  kind: z.enum(['desktop', 'browser']),
  /** What to open in a browser, with the token of this run (the file is its owner's alone); `null` for the desktop. */
  address: z.string().nullable(),
  /** Local socket or named pipe of the contract; `null` until it listens. */
  socket: z.string().nullable(),
})

/** The running workbench of a data folder, as it describes itself. Only the lock says whether it still runs. */
export type Host = z.infer<typeof hostSchema>

/** `null` when there is none, or what is there cannot be read. */
export function readHost(dataFolder: string): Host | null {
  try {
    return hostSchema.parse(JSON.parse(readFileSync(hostFile(dataFolder), 'utf8')))
  } catch {
    // Absent, half-removed or of another version: nobody can be reached through it either way.
    return null
  }
}

/** Replaces it in one step, readable by its owner alone. Only the holder of the lock writes it. */
export function writeHost(dataFolder: string, host: Host): void {
  const file = hostFile(dataFolder)
  const next = `${file}.${process.pid}`
  writeFileSync(next, `${JSON.stringify(host)}\n`, { mode: 0o600 })
  renameSync(next, file)
}

export function removeHost(dataFolder: string): void {
  rmSync(hostFile(dataFolder), { force: true })
}

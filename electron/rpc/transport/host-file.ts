import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** `host.json`: the running workbench of a data folder, for the command line and for a second instance. */
const hostFileSchema = z.object({
  pid: z.number().int().positive(),
  kind: z.enum(['desktop', 'browser']),
  /** What a browser opens, without the token; `null` for the desktop. */
  address: z.string().nullable(),
  /** The local socket or named pipe on which the contract is served. */
  socket: z.string(),
})
export type HostFile = z.infer<typeof hostFileSchema>

const pathOf = (dataFolder: string) => join(dataFolder, 'host.json')

/** Whole or not at all. Only the holder of the folder's lock may write it. */
export function writeHostFile(dataFolder: string, host: HostFile): void {
  const fresh = `${pathOf(dataFolder)}.${randomUUID()}.tmp`
  writeFileSync(fresh, `${JSON.stringify(host)}\n`, { mode: 0o600 })
  renameSync(fresh, pathOf(dataFolder))
}

/** `null` when there is none that can be read. It may be left over from a workbench that was killed. */
export function readHostFile(dataFolder: string): HostFile | null {
  try {
    return hostFileSchema.parse(JSON.parse(readFileSync(pathOf(dataFolder), 'utf8')))
  } catch {
    return null // absent, or not ours to understand: both mean that it points to no one
  }
}

export function removeHostFile(dataFolder: string): void {
  rmSync(pathOf(dataFolder), { force: true })
}

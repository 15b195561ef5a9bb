import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { stampOf } from './places.ts'

/** Where a replaced database goes: it is kept whatever happens. */
export interface Aside {
  readonly folder: 'damaged' | 'backups'
  /** Of the file, `espalier-….db`. */
  readonly name: string
}

const asideSchema = z.object({ folder: z.enum(['damaged', 'backups']), name: z.string().regex(/^[\w.-]+$/) })

export function writeNote(dataFolder: string, aside: Aside): void {
  writeFileSync(noteFile(dataFolder), JSON.stringify(aside), { mode: 0o600, flush: true })
}

/** It is written before a swap is decided; one that cannot be read all the same must not stop a start. */
export function readNote(dataFolder: string): Aside {
  try {
    return asideSchema.parse(JSON.parse(readFileSync(noteFile(dataFolder), 'utf8')))
  } catch {
    // Gone or garbled: the replaced database is kept where damaged ones are.
    return { folder: 'damaged', name: `espalier-${stampOf(Date.now())}.db` }
  }
}

export function removeNote(dataFolder: string): void {
  rmSync(noteFile(dataFolder), { force: true })
}

function noteFile(dataFolder: string): string {
  return join(dataFolder, 'next.json')
}

import { chmodSync, constants, copyFileSync, existsSync, writeFileSync } from 'node:fs'

/*
 * Copies of database files that no connection of this process has open. It is told paths: see `data-folder.ts` for
 * why nothing here may name the database of a data folder itself.
 */

/**
 * With its WAL, readable by its owner alone; shares the bytes where the file system can. Of one that is gone an empty
 * copy is made: its WAL may still hold all that is new.
 */
export function copyDatabase(from: string, to: string): void {
  if (!existsSync(from)) writeFileSync(to, '', { mode: 0o600 })
  for (const suffix of ['', '-wal']) {
    if (!existsSync(`${from}${suffix}`)) continue
    copyFileSync(`${from}${suffix}`, `${to}${suffix}`, constants.COPYFILE_FICLONE)
    chmodSync(`${to}${suffix}`, 0o600)
  }
}

export function writePrivately(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 })
}

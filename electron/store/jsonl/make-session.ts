import { join } from 'node:path'
import { WorkbenchError } from '#shared/errors.ts'
import type { Encoding } from './encoding.ts'
import { INDEX_FILE } from './index-file.ts'
import { type IndexedRow, LogIndex } from './log-index.ts'
import { HEADER_FILE } from './session-folders.ts'
import { readSmall, replaceFile, syncFolder, writeNew } from './side-files.ts'

export interface NewSession {
  /** The header's facts, as they are written. */
  readonly header: object
  readonly encoding: Encoding
  readonly lines: readonly string[]
  /** What the lines hold. */
  readonly rows: readonly IndexedRow[]
}

/**
 * The files of a new session in an empty folder, durable when this returns.
 * @throws WorkbenchError `STORE_UNAVAILABLE` when the header does not read back as it was written.
 */
export function makeSession(folder: string, { header, encoding, lines, rows }: NewSession): void {
  const text = `${JSON.stringify(header)}\n`
  const file = join(folder, HEADER_FILE)
  writeNew(file, Buffer.from(text))
  if (readSmall(file, Buffer.byteLength(text))?.toString('utf8') !== text) {
    throw new WorkbenchError(
      'STORE_UNAVAILABLE',
      'The header of a new session does not read back as written.',
    )
  }
  const packed = encoding.pack(lines)
  writeNew(join(folder, encoding.file), packed.bytes)
  const index = new LogIndex()
  let next = 0
  for (const unit of packed.units) {
    index.add(unit.bytes, unit.payload, rows.slice(next, next + unit.lines))
    next += unit.lines
  }
  // Made from the log at any time: nobody waits for it to be durable.
  replaceFile(join(folder, INDEX_FILE), index.text(), false)
  syncFolder(folder)
}

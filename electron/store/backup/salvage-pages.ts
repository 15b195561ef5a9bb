import type Database from 'better-sqlite3'
import { isSeq } from '../event-rows.ts'
import { scanPages } from './page-scan.ts'
import type { RecordValue } from './record-format.ts'

/**
 * Fills the gaps of logs from pages that nothing leads to any more. Only events of known sessions, at places that their
 * record states and that are empty: pages also hold what was deleted.
 * @returns how many events were found for each session key.
 */
export function fillFromPages(
  db: Database.Database,
  file: string,
  ends: ReadonlyMap<number, number>,
): Map<number, number> {
  const put = db.prepare<RecordValue[]>(
    'INSERT OR IGNORE INTO event (session_key, seq, time, type, data, ignorable) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const found = new Map<number, number>()
  for (const { rowid, values } of scanPages(file)) {
    const row = rowid === null ? asEvent(values) : null
    if (row === null || row.seq >= (ends.get(row.key) ?? 0)) continue
    if (put.run(...values).changes > 0) found.set(row.key, (found.get(row.key) ?? 0) + 1)
  }
  return found
}

/** As a page holds a row of the table of events: its key first, for it has no rowid. */
function asEvent(values: readonly RecordValue[]): { readonly key: number; readonly seq: number } | null {
  const [key, seq, time, type, data, ignorable] = values
  const isEvent =
    values.length === 6 &&
    isSeq(key) &&
    isSeq(seq) &&
    typeof time === 'number' &&
    typeof type === 'string' &&
    typeof data === 'string' &&
    (ignorable === null || ignorable === 1)
  return isEvent ? { key, seq } : null
}

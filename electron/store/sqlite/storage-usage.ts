import type Database from 'better-sqlite3'
import type { CheckpointReads } from '../checkpoint-reads.ts'
import { isSeq } from '../event-rows.ts'
import type { StoredUsage, UsageStep } from '../stored-usage.ts'
import { type Sized, usageOf } from '../usage-trees.ts'
import { type Answer, answer } from '../wire.ts'
import { PURGED } from './trash.ts'

/** An append waits no longer for a step than this, and one stretch of rows. */
const STEP_MS = 6
const SESSIONS = 200
const ROWS = 500
/** Of a row beside its texts: seq, time, lengths and its place in the page. */
const ROW_BYTES = 24

interface SessionRow {
  readonly key: number
  readonly id: string
  readonly parent: string | null
  readonly act: string | null
  readonly archived: number
  readonly endSeq: number
  readonly cuts: number
}

interface Measured {
  readonly cuts: number
  readonly nextSeq: number
  readonly bytes: number
}

/**
 * What each session stores, summed from the lengths that row headers hold: long texts are not read for it. Measured
 * logs are remembered, since logs only grow; a generator keeps its place between steps, never an open statement.
 */
export function createStorageUsage(db: Database.Database, checkpoints: Pick<CheckpointReads, 'labelOf'>) {
  const sessions = db.prepare<[number, number], SessionRow>(
    `SELECT key, id, CASE WHEN origin = 'subagent' THEN parent_session END AS parent, trashed_with AS act,
       archived, end_seq AS endSeq, cuts FROM session WHERE key > ? ORDER BY key LIMIT ?`,
  )
  const count = db.prepare<[], number>('SELECT count(*) FROM session').pluck()
  const stretch = db
    .prepare<[number, number, number], [rows: number, last: unknown, bytes: number | null]>(
      `SELECT count(*), max(seq), sum(octet_length(data) + octet_length(type)) FROM (
         SELECT seq, type, data FROM event WHERE session_key = ? AND seq >= ? ORDER BY seq LIMIT ?)`,
    )
    .raw()
  const beside = db
    .prepare<{ key: number }, number>(
      `SELECT coalesce((SELECT sum(octet_length(state)) FROM checkpoint_row WHERE session_key = @key), 0)
         + coalesce((SELECT sum(octet_length(data)) FROM lost_event WHERE session_key = @key), 0)
         + coalesce((SELECT sum(o.size) FROM output_ref r JOIN output o ON o.key = r.output_key
             WHERE r.session_key = @key AND NOT EXISTS (SELECT 1 FROM output_ref other
               WHERE other.output_key = r.output_key AND other.session_key < r.session_key)), 0)`,
    )
    .pluck()
  const remembered = new Map<number, Measured>()
  let measuring: Generator<{ measured: number; sessions: number }, StoredUsage> | null = null

  function* logBytes({ key, endSeq, cuts }: SessionRow): Generator<void, number> {
    const before = remembered.get(key)
    let { nextSeq, bytes } = before?.cuts === cuts ? before : { nextSeq: 0, bytes: 0 }
    while (nextSeq < endSeq) {
      const [rows, last, sum] = stretch.get(key, nextSeq, ROWS) ?? [0, null, null]
      if (rows === 0 || !isSeq(last)) break
      bytes += (sum ?? 0) + rows * ROW_BYTES
      nextSeq = last + 1
      yield
    }
    remembered.set(key, { cuts, nextSeq, bytes })
    return bytes
  }

  function* measure(): Generator<{ measured: number; sessions: number }, StoredUsage> {
    const total = count.get() ?? 0
    const sized: Sized[] = []
    const progress = () => ({ measured: sized.length, sessions: Math.max(total, sized.length) })
    for (let after = 0; ; ) {
      const page = sessions.all(after, SESSIONS)
      for (const row of page) {
        const log = logBytes(row)
        let stretched = log.next()
        for (; stretched.done !== true; stretched = log.next()) yield progress()
        const bytes = stretched.value + (beside.get({ key: row.key }) ?? 0)
        sized.push({ ...row, act: row.act === PURGED ? null : row.act, isGone: row.act === PURGED, bytes })
        yield progress()
      }
      const last = page.at(-1)
      if (last === undefined) break
      after = last.key
    }
    const summing = usageOf(sized, (key, end) => checkpoints.labelOf(key, end), freeBytes())
    let summed = summing.next()
    for (; summed.done !== true; summed = summing.next()) yield progress()
    return summed.value
  }

  function freeBytes(): number {
    const pages = Number(db.pragma('freelist_count', { simple: true }))
    return pages * Number(db.pragma('page_size', { simple: true }))
  }

  return {
    usageStep(begin: boolean): Answer<UsageStep> {
      if (begin || measuring === null) measuring = measure()
      for (const until = performance.now() + STEP_MS; ; ) {
        const step = measuring.next()
        if (step.done === true) {
          measuring = null
          return answer({ done: true, usage: step.value })
        }
        if (performance.now() > until) return answer({ done: false, ...step.value })
      }
    },

    /** Among the reads since those are answered outside any transaction. */
    compact(): Answer<null> {
      db.exec('VACUUM')
      db.pragma('wal_checkpoint(TRUNCATE)')
      return answer(null)
    },
  }
}

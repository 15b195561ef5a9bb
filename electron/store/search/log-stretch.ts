import { isSeq } from '../event-rows.ts'
import type { Text } from './hits.ts'
import type { LogFacts, LogSource } from './log-source.ts'
import { readableText } from './readable-text.ts'
import { markOf, type Progress, type SessionRecord } from './session-records.ts'
import { preparedText } from './words.ts'

/** Characters of a log that are read at a time, about. */
const STRETCH_LENGTH = 64 * 1024
const MOST_ROWS = 128
/** A row before the first one was read. */
const USUAL_ROW = 500

export type Stretch =
  | {
      readonly kind: 'read'
      readonly texts: readonly Text[]
      /** Characters of them. */
      readonly length: number
      readonly progress: Progress
      readonly atEnd: boolean
    }
  /** What follows is not what followed the indexed part. */
  | { readonly kind: 'other log' }

/** Reads logs a stretch at a time, so that one step is short whatever is in them. Undecodable rows are passed over. */
export class LogStretches {
  readonly #source: LogSource
  #rowLength = USUAL_ROW

  constructor(source: LogSource) {
    this.#source = source
  }

  /** @throws what the medium of the log says. */
  read(facts: LogFacts, record: SessionRecord, { next, mark }: Progress): Stretch {
    const limit = Math.min(MOST_ROWS, Math.max(2, Math.ceil(STRETCH_LENGTH / this.#rowLength)))
    const rows = this.#source.rows(facts.key, mark === null ? next : next - 1, limit)
    if (mark !== null && (rows[0] === undefined || markOf(rows[0]) !== mark)) return { kind: 'other log' }
    const texts: Text[] = []
    let length = 0
    let read = 0
    let end = next
    for (const row of rows) {
      const [seq, time, , data] = row
      if (typeof data === 'string') read += data.length
      if (!isSeq(seq) || seq < next) continue
      end = seq + 1
      const text = readableText(row)
      if (text === null || text === '') continue
      const at = typeof time === 'number' && Number.isFinite(time) ? Math.trunc(time) : 0
      texts.push({ session: record.no, seq, time: at, prepared: preparedText(text) })
      length += text.length
    }
    if (rows.length > 0) this.#rowLength = Math.max(1, (this.#rowLength + read / rows.length) / 2)
    const atEnd = rows.length < limit || end === next
    const last = rows.findLast(([seq]) => isSeq(seq))
    const reached = atEnd ? Math.max(end, facts.endSeq, record.end_seq) : end
    const isLast = last !== undefined && last[0] === reached - 1
    return {
      kind: 'read',
      texts,
      length,
      atEnd,
      progress: { next: reached, mark: isLast ? markOf(last) : null },
    }
  }
}

import { crc32 } from 'node:zlib'
import { z } from 'zod'

/** A stretch of a log that is found and read at once. */
export interface Group {
  /** Bytes in the file. */
  readonly at: number
  readonly to: number
  readonly payload: number
  /** Of its first row, and behind its last one. */
  readonly seq: number
  readonly end: number
  readonly rows: number
  /** Of the last row that tells one. */
  readonly time: number | null
  /** Seq of its last `subagent/descriptor` and `approval/asked`, −1 for none. */
  readonly descriptor: number
  readonly asked: number
  /** Its turns' starts and ends: twice the seq, and one more for a start. */
  readonly turns: readonly number[]
}

/** What the index has to know of a row. */
export interface IndexedRow {
  readonly seq: number
  readonly time: unknown
  readonly type: unknown
}

const FIRST_LINE = 'espalier-index 1'

/** A group takes rows until it is as long as this: what a page reads too much is at most two of them. */
const GROUP_BYTES = 64 * 1024

const wholeNumber = z.number().int()
const groupSchema = z.tuple([
  wholeNumber,
  wholeNumber,
  wholeNumber,
  wholeNumber,
  wholeNumber,
  wholeNumber,
  z.number().nullable(),
  wholeNumber,
  wholeNumber,
  z.array(wholeNumber),
])

/**
 * Where what is in a log. It is made from the log alone and kept beside it to be found quickly: one line a group, the
 * last of which grows in place, each with a checksum.
 */
export class LogIndex {
  readonly groups: Group[]

  constructor(groups: readonly Group[] = []) {
    this.groups = [...groups]
  }

  /** Bytes of the log that it covers. */
  get size(): number {
    return this.groups.at(-1)?.to ?? 0
  }

  /** The seq after the last row. */
  get end(): number {
    return this.groups.at(-1)?.end ?? 0
  }

  get lastTime(): number | null {
    return last(this.groups, ({ time }) => time)
  }

  get lastDescriptor(): number | null {
    return last(this.groups, ({ descriptor }) => (descriptor < 0 ? null : descriptor))
  }

  get lastAsked(): number | null {
    return last(this.groups, ({ asked }) => (asked < 0 ? null : asked))
  }

  /** The seq of the last turn's start before `before`, unless its end comes before `before` as well. */
  openTurnStart(before: number): number | null {
    const mark = last(this.groups, ({ turns }) => turns.findLast(turn => turn < before * 2) ?? null)
    return mark !== null && mark % 2 === 1 ? Math.floor(mark / 2) : null
  }

  /** The group that holds `seq`, or the first one behind it; `groups.length` for none. */
  find(seq: number): number {
    let low = 0
    let high = this.groups.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.groups[middle]?.end ?? 0) <= seq) low = middle + 1
      else high = middle
    }
    return low
  }

  /** A unit that follows what it covers. `mayBegin`: a reader may begin with it, since it can be told from garbage. */
  add(bytes: number, payload: number, rows: readonly IndexedRow[], mayBegin = true): void {
    const open = this.groups.at(-1)
    const isFull = open === undefined || (open.payload >= GROUP_BYTES && rows.length > 0 && mayBegin)
    const group: Group = isFull ? emptyGroup(this.size, rows[0]?.seq ?? this.end, this.end) : open
    const turns = rows.flatMap(turnOf)
    const grown: Group = {
      ...group,
      to: group.to + bytes,
      payload: group.payload + payload,
      end: (rows.at(-1)?.seq ?? group.end - 1) + 1,
      rows: group.rows + rows.length,
      time: last(rows, ({ time }) => (typeof time === 'number' ? time : null)) ?? group.time,
      descriptor: lastSeq(rows, 'subagent/descriptor') ?? group.descriptor,
      asked: lastSeq(rows, 'approval/asked') ?? group.asked,
      turns: turns.length === 0 ? group.turns : [...group.turns, ...turns],
    }
    if (isFull) this.groups.push(grown)
    else this.groups[this.groups.length - 1] = grown
  }

  text(): string {
    return `${FIRST_LINE}\n${this.groups.map(groupLine).join('')}`
  }
}

/** What of a stored index can be understood: its groups up to the first line that cannot. */
export function readIndex(text: string): LogIndex {
  const [first, ...lines] = text.split('\n')
  const index = new LogIndex()
  if (first !== FIRST_LINE) return index
  for (const line of lines) {
    const group = readGroup(line)
    if (group === null || group.at !== index.size || group.seq < index.end) break
    index.groups.push(group)
  }
  return index
}

/** With its end. One of a group that grew is at least as long as before. */
export function groupLine(group: Group): string {
  const { at, to, payload, seq, end, rows, time, descriptor, asked, turns } = group
  const text = JSON.stringify([at, to, payload, seq, end, rows, time, descriptor, asked, turns])
  return `${text} ${checksum(text)}\n`
}

function readGroup(line: string): Group | null {
  const space = line.lastIndexOf(' ')
  const text = line.slice(0, Math.max(0, space))
  if (text === '' || checksum(text) !== line.slice(space + 1)) return null
  try {
    const [at, to, payload, seq, end, rows, time, descriptor, asked, turns] = groupSchema.parse(
      JSON.parse(text),
    )
    return { at, to, payload, seq, end, rows, time, descriptor, asked, turns }
  } catch {
    // A line of someone else's with a right checksum: the index is made anew from there on.
    return null
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}

function emptyGroup(at: number, seq: number, end: number): Group {
  return { at, to: at, payload: 0, seq, end, rows: 0, time: null, descriptor: -1, asked: -1, turns: [] }
}

function turnOf({ seq, type }: IndexedRow): number[] {
  if (type === 'turn/start') return [seq * 2 + 1]
  return type === 'turn/end' ? [seq * 2] : []
}

function lastSeq(rows: readonly IndexedRow[], type: string): number | null {
  return last(rows, row => (row.type === type ? row.seq : null))
}

function last<G, T>(items: readonly G[], pick: (item: G) => T | null): T | null {
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = items[at]
    const value = item === undefined ? null : pick(item)
    if (value !== null) return value
  }
  return null
}

import type { EventRow } from '../event-rows.ts'
import type { Encoding, Unit } from './encoding.ts'
import { type Line, lineRow } from './line.ts'
import { readRange } from './side-files.ts'

/** A unit of a log at its place in the file, with the rows that its lines hold: as many, in the same order. */
export interface LogUnit extends Unit {
  readonly rows: readonly EventRow[]
}

/** A place in a log from which it is read, and the seq that is due there. */
export interface Place {
  readonly at: number
  readonly seq: number
}

/** An index that says something begins where nothing can. */
export class StalePlace extends Error {
  override readonly name = 'StalePlace'
}

const NEXT_READ = 1024 * 1024

/**
 * The units from `place` up to `to`, read a stretch at a time, `firstRead` bytes at first. Lines whose seq came before
 * are passed over. @throws StalePlace when nothing can begin at `place`.
 */
export function* logUnits(
  fd: number,
  encoding: Encoding,
  place: Place,
  to: number,
  firstRead = NEXT_READ,
): Generator<LogUnit, void> {
  let { at, seq: due } = place
  let length = firstRead
  // The byte before tells whether a line begins here.
  let before = at > 0 ? 1 : 0
  while (at < to) {
    const end = Math.min(to, at + length)
    const found = readRange(fd, at - before, end)
    if (at > 0 && at === place.at && !encoding.canBegin(found, before)) throw new StalePlace()
    const isEnd = end === to || found.length < end - at + before
    const buffer = found.subarray(before)
    const units = [...encoding.units(buffer, isEnd)]
    for (const [index, unit] of units.entries()) {
      const rows: EventRow[] = []
      const lines: Line[] = []
      for (const [place, line] of unit.lines.entries()) {
        const following = unit.lines[place + 1] ?? units[index + 1]?.lines[0]
        const row = rowAt(line, due, following)
        if (Number(row[0]) < due) continue
        due = Number(row[0]) + 1
        rows.push(row)
        lines.push(line)
      }
      yield { at: at + unit.at, to: at + unit.to, payload: unit.payload, lines, rows }
    }
    const read = units.at(-1)?.to ?? 0
    if (read === 0 && isEnd) return
    length = read === 0 ? length * 2 : NEXT_READ
    at += read
    before = 0
  }
}

/** A seq that jumps ahead of one that follows is a broken number, not a hole. */
function rowAt(line: Line, due: number, following: Line | undefined): EventRow {
  const row = lineRow(line, due)
  if (Number(row[0]) === due || following === undefined) return row
  return Number(lineRow(following, due + 1)[0]) === due + 1 &&
    typeof following === 'string' &&
    isWhole(following)
    ? [due, null, null, typeof line === 'string' ? Buffer.from(line) : line, null]
    : row
}

/** It tells its own seq: it is not counted from the one before. */
function isWhole(line: string): boolean {
  return lineRow(line, -1)[0] !== -1
}

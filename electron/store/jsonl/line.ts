import type { StoredEvent } from '#shared/session/events.ts'
import { type EventRow, isSeq, readRow, rowJson } from '../event-rows.ts'

/*
 * One event is one line of JSON: `{"seq":0,"time":0,"type":"…","data":…}`, with `"ignorable":true` behind it where it
 * is. What another backend could not read is kept as `{"seq":0,"damaged":[time,type,data,ignorable]}`, bytes in it as
 * `{"base64":"…"}`: it reads as the same unreadable row.
 */

/** A line as it is found: text, or bytes that are none. */
export type Line = string | Uint8Array

const BEGINNING =
  /^\{"seq":(\d{1,16}),"time":(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?),"type":"((?:[^"\\]|\\.)*)","data":/

const IGNORABLE_END = ',"ignorable":true}'

/** Events have few types: their names are made once. */
const types = new Map<string, string>()

export function eventLine(event: Omit<StoredEvent, 'data'>, text: string): string {
  return rowJson({
    event: { ...event, data: null },
    text: /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, ' ') : text,
  })
}

/** The row that a line holds. `due` is its seq where it does not tell one. Never throws. */
export function lineRow(line: Line, due: number): EventRow {
  if (typeof line !== 'string') return [due, null, null, line, null]
  const found = BEGINNING.exec(line)
  if (found === null || !line.endsWith('}')) return unusualRow(line, due)
  const isIgnorable = line.endsWith(IGNORABLE_END)
  const end = line.length - (isIgnorable ? IGNORABLE_END.length : 1)
  return [
    Number(found[1]),
    Number(found[2]),
    typeOf(found[3] ?? ''),
    line.slice(found[0].length, end),
    isIgnorable ? 1 : null,
  ]
}

/** A line that keeps a row which no line of an event could hold. */
export function damagedLine(seq: number, [, ...columns]: EventRow): string {
  return JSON.stringify({ seq, damaged: columns.map(keptColumn) })
}

/** The line that reads as `row` where `due` is due, however damaged the row is. */
export function lineOfRow(row: EventRow, due: number): string {
  const [seq, time, type, data, ignorable] = row
  if (!isSeq(seq)) throw new Error('the row has no place in a log')
  if (typeof data !== 'string') return damagedLine(seq, row)
  if (typeof time === 'number' && Number.isFinite(time) && typeof type === 'string') {
    const envelope = { seq, time, type }
    const line = eventLine(ignorable === 1 ? { ...envelope, ignorable: true } : envelope, data)
    if (isSameRow(lineRow(line, due), row)) return line
  } else if (data !== '' && !/[\r\n]/.test(data) && isSameRow(lineRow(data, due), row)) {
    return data // a whole line that could not be read is such a line again
  }
  return damagedLine(seq, row)
}

/** Whether two rows say the same. Nothing and no bytes are the same in a damaged one. */
export function isSameRow(one: EventRow, other: EventRow): boolean {
  const [read, otherRead] = [readRow(one), readRow(other)]
  if (read !== null && otherRead !== null)
    return JSON.stringify(read.event) === JSON.stringify(otherRead.event)
  return read === otherRead && one.every((column, index) => isSameColumn(column, other[index]))
}

function isSameColumn(one: unknown, other: unknown): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0
  return one === other || (isNothing(one) && isNothing(other))
}

export function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (value instanceof Uint8Array && value.length === 0)
}

/** A row that was cut off a log, whatever its seq. */
export function lostLine(row: EventRow): string {
  return JSON.stringify({ lost: row.map(keptColumn) })
}

export function lostRow(line: string): EventRow {
  const value = parsed(line)
  const lost = typeof value === 'object' && value !== null && 'lost' in value ? value.lost : null
  if (!Array.isArray(lost)) return [null, null, null, line, null]
  const [seq = null, time = null, type = null, data = null, ignorable = null] = lost.map(foundColumn)
  return [seq, time, type, data, ignorable]
}

/** For a line that someone else wrote, or which is broken. */
function unusualRow(line: string, due: number): EventRow {
  const value = parsed(line)
  if (typeof value !== 'object' || value === null) return [due, null, null, line, null]
  const fields: { readonly [name: string]: unknown } = { ...value }
  const seq = isSeq(fields['seq']) ? fields['seq'] : due
  const damaged = fields['damaged']
  if (Array.isArray(damaged)) return [seq, ...columnsOf(damaged)]
  const data = 'data' in fields ? JSON.stringify(fields['data']) : Buffer.from(line)
  if (!isSeq(fields['seq'])) return [due, null, null, Buffer.from(line), null]
  return [seq, fields['time'], fields['type'], data, fields['ignorable'] === true ? 1 : null]
}

function columnsOf(kept: readonly unknown[]): [unknown, unknown, unknown, unknown] {
  const [time = null, type = null, data = null, ignorable = null] = kept.map(foundColumn)
  return [time, type, data, ignorable]
}

function keptColumn(value: unknown): unknown {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') }
  return typeof value === 'bigint' ? Number(value) : (value ?? null)
}

function foundColumn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('base64' in value)) return value
  return typeof value.base64 === 'string' ? Buffer.from(value.base64, 'base64') : null
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // Broken JSON is the answer: the row is reported as damage.
    return undefined
  }
}

function typeOf(text: string): string {
  const known = types.get(text)
  if (known !== undefined) return known
  const type = text.includes('\\') ? unescaped(text) : text
  if (types.size < 1000) types.set(text, type)
  return type
}

function unescaped(text: string): string {
  const type = parsed(`"${text}"`)
  return typeof type === 'string' ? type : text
}

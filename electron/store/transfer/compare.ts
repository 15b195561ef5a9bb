import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { EventRow } from '../event-rows.ts'
import { isSameRow } from '../jsonl/line.ts'
import { type CarriedSession, isEmptyRow, type LostPart, type SessionSource } from './carried.ts'
import { EARLIER_ACT } from './sqlite-source.ts'

export interface Compared {
  readonly sessions: number
  readonly events: number
  readonly outputs: number
}

/** What is not the same, in a sentence. */
export class Difference extends Error {
  override readonly name = 'Difference'
}

/**
 * Reads both and compares every header, mark, draft, checkpoint, event and output.
 * @throws Difference for the first that is not the same.
 */
export function compareStores(one: SessionSource, other: SessionSource): Compared {
  const there = new Map([...other.sessions()].map(session => [session.id, session]))
  const ids = new Set(there.keys())
  const digests = new Map<string, string>()
  const compared = { sessions: 0, events: 0, outputs: 0 }
  for (const session of one.sessions()) {
    const twin = there.get(session.id)
    if (twin === undefined) throw new Difference(`The session ${session.id} is missing.`)
    there.delete(session.id)
    const rows = compareRows(session, one.rows(session.id), other.rows(session.id))
    compareRecords(session, twin, { end: rows.end, ids })
    for (const { id, shared } of session.outputs) {
      const digest = digests.get(shared) ?? digestOf(one.output(session.id, id))
      digests.set(shared, digest)
      if (digestOf(other.output(session.id, id)) !== digest)
        throw new Difference(`An output of the session ${session.id} is not the same.`)
      compared.outputs += 1
    }
    compared.sessions += 1
    compared.events += rows.count
  }
  const [extra] = there.keys()
  if (extra !== undefined) throw new Difference(`The session ${extra} came from nowhere.`)
  if (one.units !== other.units) throw new Difference('The checkpoints were made by other units.')
  return compared
}

function compareRows(
  { id }: CarriedSession,
  one: Iterable<EventRow>,
  other: Iterable<EventRow>,
): { readonly count: number; readonly end: number } {
  const others = withoutEmpty(other)
  let count = 0
  let end = 0
  for (const row of withoutEmpty(one)) {
    const twin = others.next()
    if (twin.done === true || !isSameRow(row, twin.value)) {
      throw new Difference(`Event ${String(row[0])} of the session ${id} is not the same.`)
    }
    count += 1
    end = Number(row[0]) + 1
  }
  if (others.next().done !== true) throw new Difference(`The session ${id} has too many events.`)
  return { count, end }
}

function* withoutEmpty(rows: Iterable<EventRow>): Generator<EventRow, void> {
  for (const row of rows) if (!isEmptyRow(row)) yield row
}

function compareRecords(
  one: CarriedSession,
  other: CarriedSession,
  facts: { readonly end: number; readonly ids: ReadonlySet<string> },
): void {
  const [record, twin] = [one, other].map(session => comparable(session, facts))
  for (const [name, value] of Object.entries(record ?? {})) {
    const found: unknown = Object.entries(twin ?? {}).find(([key]) => key === name)?.[1]
    if (!isDeepStrictEqual(value, found)) {
      throw new Difference(`What is kept of the session ${one.id} is not the same (${name}).`)
    }
  }
}

/** What may look different and mean the same is made to look the same. */
function comparable(
  session: CarriedSession,
  { end, ids }: { readonly end: number; readonly ids: ReadonlySet<string> },
) {
  const { header, archived, outputs, lost, endSeq, ...rest } = session
  return {
    ...rest,
    header: Object.fromEntries(Object.entries(header).filter(([, value]) => value !== '')),
    endSeq: Math.max(endSeq, end),
    archived: archived === null || ids.has(archived) ? archived : EARLIER_ACT,
    outputs: outputs.map(({ id, size }) => ({ id, size })),
    lost: lost.map(comparablePart),
  }
}

function comparablePart(part: LostPart): unknown {
  if (part.kind === 'bytes') return [part.number, Buffer.from(part.bytes).toString('base64')]
  return [
    part.at,
    part.rows.map(row =>
      row.map(value =>
        value instanceof Uint8Array ? Buffer.from(value).toString('base64') : (value ?? null),
      ),
    ),
  ]
}

function digestOf(parts: Iterable<Uint8Array>): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

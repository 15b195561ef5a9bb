import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readHeaderFacts } from '../read-header.ts'
import { readHeader, type SessionRow } from './session-rows.ts'

const ids = fc.constantFrom('a', 'A-1.b_c', '', '-a', 'a b', 'a\0b', `x${'y'.repeat(128)}`, 'ä', 7, null)
const counts = fc.constantFrom<unknown>(0, 1, 2 ** 53, -1, 1.5, 'one', Number.POSITIVE_INFINITY)
const texts = fc.constantFrom<unknown>('', '/work', 'x\0y', 4, Buffer.from('x'))
const orNull = (arbitrary: fc.Arbitrary<unknown>) => fc.option(arbitrary, { nil: null, freq: 2 })

const rows = fc.record({
  version: fc.constantFrom<unknown>(1, 1, 1, 2, '1', null),
  id: ids,
  created_at: fc.oneof(fc.nat(), counts),
  cwd: orNull(texts),
  parent_session: orNull(ids),
  seed_length: orNull(counts),
  origin: orNull(fc.constantFrom<unknown>('subagent', 'fork', '', 1)),
  delegation_depth: orNull(counts),
  preset: orNull(texts),
})

describe('the header of a row', () => {
  it('is what the schema makes of it, for every row that a disk can give', () => {
    let sound = 0
    fc.assert(
      fc.property(rows, row => {
        const known = Object.entries(row).filter(([name, value]) => value !== null || name === 'version')
        const facts = Object.fromEntries(known.map(([name, value]) => [FIELDS[name] ?? name, value]))

        const read = readHeader(row as unknown as SessionRow)

        expect(read).toEqual(readHeaderFacts(facts))
        if (read.kind === 'header') sound += 1
      }),
      { numRuns: 3000 },
    )
    expect(sound).toBeGreaterThan(10)
  })
})

const FIELDS: Readonly<Record<string, string>> = {
  created_at: 'createdAt',
  parent_session: 'parentSession',
  seed_length: 'seedLength',
  delegation_depth: 'delegationDepth',
}

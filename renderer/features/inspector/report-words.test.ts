import { describe, expect, it } from 'vitest'
import type { RecordReport } from '#shared/contract/session-shapes.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { cellsOf, damageText, leadOf, readableOf } from './report-words.ts'

const id = toSessionId('c41d70e2')
const report: RecordReport = {
  id,
  header: null,
  parentLabel: null,
  readable: 41,
  stated: 58,
  damage: [
    { kind: 'log-gap', fromSeq: 41, toSeq: 43 },
    { kind: 'damaged-tail', fromSeq: 44, lost: 14 },
  ],
  faults: [],
  lastReadable: null,
  raw: [],
}

describe('the report of a damaged record', () => {
  it('says what is wrong and what is left', () => {
    const entry = {
      kind: 'diagnostic',
      id,
      reason: 'corrupt',
      detail: { cause: 'descriptor-missing' },
    } as const
    expect(leadOf(entry, report)).toBe(
      'The descriptor of c41d70e2 is missing, so its name and mode are unknown and it cannot be resumed. Of its 58 events, 41 can be read.',
    )
    expect(report.damage.map(damageText)).toEqual([
      'Events 41–43 are missing',
      '14 events from 44 on cannot be read',
    ])
  })

  it('counts what stands behind an event that cannot be decoded as left', () => {
    const broken: RecordReport = {
      ...report,
      readable: 0,
      stated: 12,
      damage: [{ kind: 'log-undecodable', seq: 0 }],
    }
    expect(readableOf(broken)).toBe(11)
    expect(readableOf(report)).toBe(41)
  })

  it('draws one cell per event where there is room', () => {
    const cells = cellsOf(report, 58)
    expect(cells.filter(cell => cell === 'gone')).toHaveLength(3)
    expect(cells.filter(cell => cell === 'lost')).toHaveLength(14)
    expect(cells[41]).toBe('gone')
  })

  it('never hides damage when many events share a cell', () => {
    const cells = cellsOf(
      { ...report, stated: 100_000, damage: [{ kind: 'log-undecodable', seq: 77_777 }] },
      58,
    )
    expect(cells).toHaveLength(58)
    expect(cells.filter(cell => cell === 'gone')).toHaveLength(1)
  })
})

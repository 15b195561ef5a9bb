import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closersOf } from '../session/closers.ts'
import type { StoredEvent } from '../session/events.ts'
import { deepFreeze } from '../session/json.ts'
import { type CheckpointRow, viewCheckpointRow } from './checkpoint-row.ts'
import { anyContext, anyLog } from './fixtures/any-log.ts'
import { Fold } from './fold.ts'
import type { UnitContext } from './unit.ts'
import { UNITS } from './units.ts'

/* What holds for every log (contracts §3), whoever wrote it. */

const RUNS = { numRuns: 400 }

function foldAll(events: readonly StoredEvent[], ctx: UnitContext): Fold {
  const fold = new Fold(UNITS, ctx)
  for (const event of events) fold.apply(event)
  return fold
}

/** With what a log that was cut off is owed. */
function closed(events: readonly StoredEvent[]): StoredEvent[] {
  const time = events.at(-1)?.time ?? 0
  const closers = closersOf(events, null).map((closer, index) => ({
    seq: events.length + index,
    time,
    ...closer,
  }))
  return [...events, ...closers]
}

/** As rows come back from disk. */
function stored(rows: readonly CheckpointRow[]): CheckpointRow[] {
  return JSON.parse(JSON.stringify(rows))
}

function statesOf(fold: Fold): unknown {
  return UNITS.map(({ key }) => [key, fold.stateOf(key)])
}

describe('every unit', () => {
  it('stands any event: none throws, and every view fits its schema and JSON', () => {
    fc.assert(
      fc.property(anyLog, anyContext, (events, ctx) => {
        const { values, faults, asOfSeq } = foldAll(events, ctx).snapshot()

        expect(faults).toEqual([])
        expect(asOfSeq).toBe(events.length - 1)
        expect(Object.keys(values).toSorted()).toEqual(UNITS.map(({ key }) => key).toSorted())
        expect(JSON.parse(JSON.stringify(values))).toEqual(values)
      }),
      RUNS,
    )
  })

  it('stands any event by itself too, not only under the fold’s protection', () => {
    fc.assert(
      fc.property(anyLog, anyContext, (events, ctx) => {
        for (const unit of UNITS) {
          let state = unit.init()
          for (const event of events) state = unit.apply(state, event as never, ctx)
          expect(unit.stateSchema.safeParse(state).success, unit.key).toBe(true)
        }
      }),
      RUNS,
    )
  })

  it('never changes a state that it has handed out', () => {
    fc.assert(
      fc.property(anyLog, anyContext, (events, ctx) => {
        const fold = new Fold(UNITS, ctx)
        let before = stored(fold.checkpoint())
        for (const event of events) {
          const held = fold.checkpoint()
          fold.apply(event)
          expect(stored(held)).toEqual(before)
          before = stored(fold.checkpoint())
        }
      }),
      { numRuns: 60 },
    )
  })

  it('never changes an event: the next unit is shown the same one', () => {
    fc.assert(
      fc.property(anyLog, anyContext, (events, ctx) => {
        expect(foldAll(events.map(deepFreeze), ctx).snapshot()).toEqual(foldAll(events, ctx).snapshot())
      }),
      { numRuns: 100 },
    )
  })

  it('keeps its state for a type that it does not know', () => {
    fc.assert(
      fc.property(anyLog, anyContext, (events, ctx) => {
        const fold = foldAll(events, ctx)
        expect(fold.apply({ seq: events.length, time: 5, type: 'x/unknown', data: { turn: 1 } })).toEqual([])
      }),
      { numRuns: 50 },
    )
  })
})

describe('a checkpoint', () => {
  it('and the tail behind it give what the whole log gives, wherever it is cut', () => {
    fc.assert(
      fc.property(
        anyLog,
        anyContext,
        fc.array(fc.nat({ max: 50 }), { maxLength: 3 }),
        fc.boolean(),
        (log, ctx, cuts, isClosed) => {
          const events = isClosed ? closed(log) : log
          const whole = foldAll(events, ctx)

          let rows: CheckpointRow[] = []
          for (const cut of [...cuts.toSorted((a, b) => a - b), events.length]) {
            const end = Math.min(cut, events.length)
            const fold = Fold.restore(UNITS, ctx, rows, end - 1)
            for (const event of events.slice(fold.floor, end)) fold.apply(event)
            rows = stored(fold.checkpoint())
          }
          const restored = Fold.restore(UNITS, ctx, rows, events.length - 1)

          expect(restored.snapshot()).toEqual(whole.snapshot())
          expect(statesOf(restored)).toEqual(JSON.parse(JSON.stringify(statesOf(whole))))
        },
      ),
      RUNS,
    )
  })

  it('whose rows end at different places is fed from the lowest, and no unit sees an event twice', () => {
    fc.assert(
      fc.property(anyLog, anyContext, fc.array(fc.nat({ max: 40 })), (events, ctx, cuts) => {
        const rows = UNITS.map((unit, index) => {
          const end = Math.min(cuts[index] ?? 0, events.length)
          const row = foldAll(events.slice(0, end), ctx)
            .checkpoint()
            .find(({ key }) => key === unit.key)
          if (row === undefined) throw new Error(`no row for ${unit.key}`)
          return row
        })
        const fold = Fold.restore(UNITS, ctx, stored(rows), events.length - 1)
        for (const event of events.slice(fold.floor)) fold.apply(event)

        expect(fold.snapshot()).toEqual(foldAll(events, ctx).snapshot())
      }),
      { numRuns: 100 },
    )
  })

  it('of nonsense is dropped row by row, and the fold begins anew', () => {
    const anyRow = fc.record({
      key: fc.constantFrom(...UNITS.map(({ key }) => key), 'x'),
      stateVersion: fc.constantFrom(1, 2, 3),
      seq: fc.oneof(
        fc.integer({ min: -3, max: 60 }),
        fc.constantFrom(Number.NaN, 0.5, Number.POSITIVE_INFINITY),
      ),
      state: fc.oneof(fc.jsonValue(), fc.constant(undefined)),
    })
    fc.assert(
      fc.property(fc.array(anyRow), anyContext, (rows, ctx) => {
        const fold = Fold.restore(UNITS, ctx, rows, 5)
        expect(fold.floor).toBeGreaterThanOrEqual(0)
        expect(fold.floor).toBeLessThanOrEqual(6)
        expect(fold.snapshot().faults).toEqual([])
        for (const unit of UNITS) {
          for (const row of rows) expect(() => viewCheckpointRow(unit, row)).not.toThrow()
        }
      }),
      RUNS,
    )
  })
})

describe('closers', () => {
  it('of any log can be made, and folded, and leave nothing to close', () => {
    fc.assert(
      fc.property(anyLog, anyContext, (events, ctx) => {
        const whole = closed(events)
        const closers = whole.slice(events.length)

        expect(closersOf(whole, null)).toEqual([])
        expect(foldAll(whole, ctx).snapshot().faults).toEqual([])
        expect(JSON.parse(JSON.stringify(closers))).toEqual(closers)
      }),
      RUNS,
    )
  })
})

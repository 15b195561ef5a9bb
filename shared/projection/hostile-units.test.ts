import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { CheckpointRow } from './checkpoint-row.ts'
import { logOf } from './fixtures/unit-log.ts'
import { Fold } from './fold.ts'
import { defineUnit, type Unit } from './unit.ts'

/*
 * Units that keep none of their promises (contracts §3). Numbers are those of the study's §8.9. On purpose different:
 * a key that breaks is quarantined instead of failing the snapshot (21, 23).
 */

const CTX = { createdAt: 0 }
const EVENTS = logOf([
  ['x/one', 1],
  ['y', null],
  ['x/two', 2],
])

/** Counts events whose type begins with `x`. */
const counter = defineUnit({
  key: 'counter',
  stateVersion: 3,
  stateSchema: z.number(),
  init: () => 0,
  apply: (state, event) => (String(event.type).startsWith('x') ? state + 1 : state),
  view: state => ({ count: state }),
  viewSchema: z.object({ count: z.number() }),
}) as Unit

function hostile(change: Partial<Unit>): Unit {
  return { ...counter, key: 'hostile', ...change }
}

function foldOf(units: readonly Unit[], events = EVENTS): Fold {
  const fold = new Fold(units, { ...CTX })
  for (const event of events) fold.apply(event)
  return fold
}

const throws = (words: string) => () => {
  throw new Error(words)
}
function cycle(): unknown {
  const value: Record<string, unknown> = {}
  value['self'] = value
  return value
}
const thenable: unknown = Object.fromEntries([['then', (take: (value: number) => void) => take(1)]])
/** Hands on whatever a unit says: what is wrong with it must be found all the same. */
const lax = { stateSchema: z.any(), viewSchema: z.any() }

describe('a unit that breaks', () => {
  const cases: [string, Partial<Unit>, string][] = [
    ['in init', { init: throws('no start') }, 'no start'],
    ['in apply', { apply: throws('no step') }, 'no step'],
    ['in view', { view: throws('no view') }, 'no view'],
    [
      'with something that is no error',
      {
        apply: () => {
          throw 'a word'
        },
      },
      'a word',
    ],
    ['by a promise from init', { init: async () => 0 }, 'promise'],
    ['by a promise from apply', { apply: async () => 0 }, 'promise'],
    ['by a promise from view', { view: async () => ({ count: 1 }) }, 'promise'],
    ['by a promise that fails later', { apply: () => Promise.reject(new Error('later')) }, 'promise'],
    ['by what looks like a promise from init', { ...lax, init: () => thenable }, 'function'],
    ['by what looks like a promise from apply', { ...lax, apply: () => thenable }, 'function'],
    ['by what looks like a promise from view', { ...lax, view: () => thenable }, 'function'],
    ['by a state that its schema refuses', { apply: () => 'many', view: () => ({ count: 1 }) }, 'number'],
    ['by a state schema that throws', { stateSchema: z.custom(throws('schema')) }, 'schema'],
    ['by a view that its schema refuses', { view: () => ({ count: 'many' }) }, 'count'],
    ['by a view schema that throws', { viewSchema: z.custom(throws('schema')) }, 'schema'],
    ['by a view schema that needs to wait', { viewSchema: z.any().refine(async () => true) }, ''],
    ['by a state of NaN', { ...lax, apply: () => Number.NaN }, 'NaN'],
    ['by a state that is undefined', { ...lax, apply: () => undefined }, 'undefined'],
    ['by a state with a field that is undefined', { ...lax, apply: () => ({ a: undefined }) }, 'undefined'],
    ['by a state of a class', { ...lax, apply: () => new Map() }, 'class'],
    ['by a state that is a cycle', { ...lax, apply: cycle }, 'cycle'],
    ['by a view of NaN', { ...lax, view: () => Number.NaN }, 'NaN'],
    ['by a view that is undefined', { view: () => undefined, viewSchema: undefined as never }, 'undefined'],
    ['by a view of a class', { view: () => ({ at: new Date(0) }), viewSchema: undefined as never }, 'class'],
    ['by a view that is a cycle', { ...lax, view: cycle }, 'cycle'],
    ['by a state changed in place', { ...lax, ...inPlace(state => state) }, 'extensible'],
    ['by a state changed in place and copied', { ...lax, ...inPlace(state => ({ ...state })) }, 'extensible'],
    [
      'by facts of the session changed in place',
      { apply: (_, __, ctx) => Object.assign(ctx, { seedLength: 9 }) },
      'extensible',
    ],
  ]
  it.each(cases)(
    '%s reads null, is named in faults, has no row and disturbs no other (8.9.21, 8.9.23)',
    async (_, change, words) => {
      const fold = foldOf([hostile(change), counter])

      const { values, faults } = fold.snapshot()

      expect(values).toEqual({ hostile: null, counter: { count: 2 } })
      expect(faults).toEqual([{ key: 'hostile', message: expect.stringContaining(words) }])
      expect(fold.checkpoint()).toEqual([{ key: 'counter', stateVersion: 3, seq: 2, state: 2 }])
      await new Promise(resolve => setImmediate(resolve)) // a rejection nobody handled would end the run here
    },
  )

  it('says so once, and is not called again', () => {
    let called = 0
    const apply = () => {
      called += 1
      throw new Error('no')
    }
    const fold = new Fold([hostile({ apply })], CTX)

    expect(EVENTS.map(event => fold.apply(event))).toEqual([['hostile'], [], []])
    expect(called).toBe(1)
  })

  it('has no checkpoint row, also when only its view is broken, and folds anew from the start', () => {
    const fold = foldOf([counter, hostile({ view: throws('no view') })])

    const rows = fold.checkpoint()

    expect(rows.map(({ key }) => key)).toEqual(['counter'])
    expect(fold.faults()).toHaveLength(1)
    expect(Fold.restore([counter, hostile({})], CTX, rows, 2).floor).toBe(0)
  })

  it('breaks on one log and not on another, also when they share its first state', () => {
    const units = [hostile({ ...lax, ...inPlace(state => state) })]
    const broken = foldOf(units)
    expect(broken.snapshot().faults).toHaveLength(1)
    expect(foldOf(units, []).snapshot()).toEqual({
      asOfSeq: -1,
      values: { hostile: { list: [] } },
      faults: [],
    })
  })
})

/** Pushes into what it was given. */
function inPlace(answer: (state: { readonly list: number[] }) => unknown): Partial<Unit> {
  return {
    init: () => ({ list: [] }),
    apply: state => {
      const given = state as { list: number[] }
      given.list.push(1)
      return answer(given)
    },
    view: state => state,
  }
}

/** Makes a state of its own first, and then changes that in place. */
const sly = hostile({
  stateSchema: z.object({ list: z.array(z.number()) }),
  viewSchema: undefined as never,
  init: () => ({ list: [] }),
  apply: (state, { seq }) => {
    const { list } = state as { list: number[] }
    if (list.length === 0) return { list: [seq] }
    list.push(seq)
    return seq === 2 ? { list } : state
  },
  view: state => state,
})

describe('what others hold of a unit that changes its state in place', () => {
  it('a value that was read stays as it was: from then on the change is a fault', () => {
    const fold = foldOf([sly, counter], EVENTS.slice(0, 1))
    const value = fold.valueOf('hostile')

    for (const event of EVENTS.slice(1)) fold.apply(event)

    expect(value).toEqual({ list: [0] })
    expect(fold.snapshot()).toMatchObject({
      values: { hostile: null, counter: { count: 2 } },
      faults: [{ key: 'hostile' }],
    })
  })

  it('a checkpoint row and a state that were taken stay as they were', () => {
    const fold = foldOf([sly], EVENTS.slice(0, 1))
    const rows = fold.checkpoint()
    const state = fold.stateOf('hostile')
    for (const event of EVENTS.slice(1)) fold.apply(event)
    expect(rows).toEqual([{ key: 'hostile', stateVersion: 3, seq: 0, state: { list: [0] } }])
    expect(state).toEqual({ list: [0] })
  })

  it('a row that is restored is a copy: the row stays as it was', () => {
    const row: CheckpointRow = { key: 'hostile', stateVersion: 3, seq: 0, state: { list: [0] } }
    const fold = Fold.restore([sly], CTX, [row], 2)
    for (const event of EVENTS.slice(1)) fold.apply(event)
    expect(row.state).toEqual({ list: [0] })
  })
})

describe('what is handed out', () => {
  it('cannot be changed by whoever holds it: values, states and rows (8.9.15)', () => {
    const lists = hostile({
      ...lax,
      init: () => ({ list: [{ n: 1 }] }),
      view: state => state,
      apply: (_, { seq }) => ({ list: [{ n: seq }] }),
    })
    const fold = foldOf([lists])
    const held = [fold.valueOf('hostile'), fold.stateOf('hostile'), fold.checkpoint()[0]?.state]
    for (const one of held as { list: { n: number }[] }[]) {
      expect(() => one.list.push({ n: 9 })).toThrow(TypeError)
      expect(() => Object.assign(one.list[0] ?? {}, { n: 9 })).toThrow(TypeError)
    }
    expect(fold.valueOf('hostile')).toEqual({ list: [{ n: 2 }] })
  })

  it('is looked at once for each state, however often it is read', () => {
    let looks = 0
    const view = (state: unknown) => {
      looks += 1
      return { count: Number(state) }
    }
    const fold = new Fold([hostile({ view })], CTX)
    looks = 0 // its first state is looked at once for all logs
    for (let read = 0; read < 3; read += 1) fold.valueOf('hostile')
    expect(looks).toBe(0)
    for (const event of EVENTS) fold.apply(event)
    for (let read = 0; read < 3; read += 1) fold.snapshot()
    expect(looks).toBe(1)
  })
})

describe('a list of units', () => {
  it('refuses two units of one key, whatever their versions (8.9.9)', () => {
    expect(() => new Fold([counter, { ...counter }], CTX)).toThrow('two units are called counter')
    expect(() => new Fold([counter, { ...counter, stateVersion: 4 }], CTX)).toThrow('counter')
  })

  it('takes the same unit twice as one (8.9.7)', () => {
    expect(foldOf([counter, counter]).checkpoint()).toHaveLength(1)
  })

  it.each([-1, 0.5, Number.NaN])('refuses the state version %s (8.9.10)', stateVersion => {
    expect(() => new Fold([{ ...counter, stateVersion }], CTX)).toThrow('state version of counter')
  })

  it('may be empty: nothing is known and nothing wrong (8.9.16)', () => {
    const fold = foldOf([])
    expect(fold.snapshot()).toEqual({ asOfSeq: 2, values: {}, faults: [] })
    expect(fold.checkpoint()).toEqual([])
    expect(Fold.restore([], CTX, [], 2)).toMatchObject({ floor: 0, asOfSeq: -1 })
  })
})

import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Frame, FrameBatch, Watch } from '#shared/frames.ts'
import { Fold } from '#shared/projection/fold.ts'
import { defineUnit, type Unit } from '#shared/projection/unit.ts'
import { UNITS } from '#shared/projection/units.ts'
import type { NewEvent } from '#shared/session/events.ts'
import { type SessionId, toSessionId } from '#shared/session/ids.ts'
import { applyFrames } from '../../renderer/store/apply-frames.ts'
import { INITIAL_STATE, type State } from '../../renderer/store/state.ts'
import { EMPTY_TRANSCRIPT, resubscribed, withTailPage } from '../../renderer/store/transcripts.ts'
import { createStreamHost, type StreamHost } from './fixtures/stream-host.ts'

/*
 * Contracts §4 as laws, over the window's real store: whatever happens in whatever order, per key the seq never goes
 * back, the last value arrives, the window ends equal to a fresh snapshot, and no batch holds two values of one key.
 */

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }))
afterEach(() => void vi.useRealTimers())

/** A unit that breaks on one event: its value is `null` from then on. */
const fragile = defineUnit({
  key: 'fragile',
  stateVersion: 1,
  stateSchema: z.number(),
  init: () => 0,
  apply: (state, event) => {
    if (event.type === 'session/title' && event.data.title === 'break') throw new Error('broken')
    return event.type === 'turn/start' ? state + 1 : state
  },
  view: (state: number) => state,
  viewSchema: z.number(),
}) as Unit

const NAMES = ['r0', 'r1', 'c0', 'c1', 'g0'] as const
const PARENTS: Readonly<Record<string, string>> = { c0: 'r0', c1: 'r0', g0: 'c0' }
const ids = NAMES.map(name => toSessionId(name))
const name = fc.nat(NAMES.length - 1)
const names = fc.subarray([...ids])
const which = fc.nat(1)

const EVENTS: readonly NewEvent[] = [
  { type: 'turn/start', data: { turn: 1 } },
  { type: 'turn/end', data: { turn: 1, reason: { kind: 'completed' } } },
  { type: 'session/title', data: { title: 'named', source: 'person' } },
  { type: 'session/title', data: { title: 'break', source: 'person' } },
  { type: 'todo/write', data: { items: [] } },
]

const op = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('start' as const), name }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      name,
      event: fc.nat(EVENTS.length - 1),
      times: fc.constantFrom(1, 1, 3, 250),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('stop' as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('trash' as const), name: fc.nat(1) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('watch' as const), which, open: names, listed: names }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('answer' as const), which, does: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reconnect' as const), which }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 5, 16, 40, 1500) }),
  },
)
const everyone = NAMES.map((_, index) => ({ kind: 'start' as const, name: index }))
type Op = typeof op extends fc.Arbitrary<infer T> ? T : never

/** A window as the renderer is one: its store, its recipe, and pages read when they are needed. */
function createWindow(host: StreamHost, number: number) {
  let state: State = { ...INITIAL_STATE }
  let watch: Watch = { open: [], listed: [] }
  let stop = new AbortController()
  let answers = true
  let unanswered: FrameBatch | null = null
  let sentAt = Number.NEGATIVE_INFINITY
  const seqs = new Map<string, number>()
  const rejected: unknown[] = []

  const readPages = (all = false) => {
    for (const [id, held] of state.transcripts) {
      if (!all && held.status.kind === 'ready' && held.behind === null) continue
      const events = host.logs.get(id)?.events ?? []
      const page = {
        events: [...events],
        nextBefore: null,
        endSeq: events.length,
        seedLength: 0,
        live: host.live.get(id) !== undefined,
        snapshot: null,
        damage: [],
      }
      state = { ...state, transcripts: new Map(state.transcripts).set(id, withTailPage(held, page)) }
    }
  }
  const check = ({ frames }: FrameBatch) => {
    expect(performance.now() - sentAt).toBeGreaterThanOrEqual(16)
    sentAt = performance.now()
    const slots = frames.map(slotOf)
    expect(new Set(slots).size).toBe(slots.length)
    for (const frame of frames) {
      expect(isShown(frame)).toBe(true)
      if (frame.kind === 'removed')
        for (const slot of seqs.keys()) if (slot.startsWith(`${frame.sessionId} `)) seqs.delete(slot)
      for (const [slot, seq] of seqsOf(frame)) {
        const least = frame.kind === 'snapshot' ? seq : seq - 1
        expect(seqs.get(slot) ?? -2).toBeLessThanOrEqual(least)
        seqs.set(slot, seq)
      }
    }
  }
  const isShown = (frame: Frame) => {
    const id = subjectOf(frame)
    if (frame.kind === 'removed' || PARENTS[id] === undefined || watch.open.includes(toSessionId(id)))
      return true
    return (
      frame.kind !== 'events' && frame.kind !== 'behind' && watch.listed.includes(toSessionId(PARENTS[id]))
    )
  }
  const answer = () => {
    if (unanswered === null || !answers) return
    state = applyFrames(state, unanswered.frames, frame => rejected.push(frame))
    const { batch } = unanswered
    unanswered = null
    host.streams.acknowledge(`${number}`, batch)
    readPages()
  }
  const subscribe = () => {
    stop.abort()
    const mine = new AbortController()
    stop = mine
    unanswered = null
    sentAt = Number.NEGATIVE_INFINITY
    const transcripts = new Map([...state.transcripts].map(([id, held]) => [id, resubscribed(held)]))
    state = { ...state, epoch: state.epoch + 1, transcripts }
    const stream = host.streams.subscribe(`${number}`, watch, mine.signal)
    readPages(true)
    const read = async () => {
      for await (const batch of stream) {
        // What was on its way when the connection was lost.
        if (mine.signal.aborted) return
        expect(unanswered).toBeNull()
        check(batch)
        unanswered = batch
        answer()
      }
    }
    read().catch(error => rejected.push(error))
  }
  subscribe()

  return {
    get state() {
      return state
    },
    get watch() {
      return watch
    },
    rejected,
    subscribe,
    look(next: Watch) {
      watch = next
      state = {
        ...state,
        transcripts: new Map(next.open.map(id => [id, state.transcripts.get(id) ?? EMPTY_TRANSCRIPT])),
      }
      host.streams.watch(`${number}`, next)
      readPages()
    },
    does(next: boolean) {
      answers = next
      // Answers to batches that are not out mean nothing.
      for (const batch of [0, 10_000]) host.streams.acknowledge(`${number}`, batch)
      answer()
    },
    stop: () => stop.abort(),
  }
}

function subjectOf(frame: Frame): string {
  return 'sessionId' in frame ? frame.sessionId : frame.kind === 'added' ? frame.header.id : frame.id
}

function slotOf(frame: Frame): string {
  const of = subjectOf(frame)
  if (frame.kind === 'projection') return `${of} ${frame.key}`
  return `${of} ${frame.kind === 'removed' ? 'added' : frame.kind}`
}

function seqsOf(frame: Frame): [string, number][] {
  if (frame.kind === 'projection') return [[`${frame.sessionId} ${frame.key}`, frame.seq]]
  if (frame.kind !== 'snapshot') return []
  return Object.keys(frame.values).map(key => [`${frame.sessionId} ${key}`, frame.asOfSeq])
}

async function play(ops: readonly Op[]) {
  const host = createStreamHost([fragile])
  const windows = [createWindow(host, 0), createWindow(host, 1)]
  const trashed = new Map<SessionId, readonly number[]>()
  /** Last values of sessions that went, and which subscription of each window was told. */
  const last = new Map<SessionId, { readonly values: unknown; readonly epochs: number[] }>()
  host.live.onRemoved(({ id }) => {
    const { header, events } = host.logs.get(id)!
    const fold = new Fold([...UNITS, fragile], header)
    for (const event of events) fold.apply(event)
    last.set(id, { values: fold.snapshot().values, epochs: windows.map(({ state }) => state.epoch) })
  })

  for (const step of ops) {
    switch (step.kind) {
      case 'start': {
        const id = ids[step.name]!
        if (host.live.get(id) !== undefined || trashed.has(id)) break
        const known = host.logs.get(id)
        const parent = PARENTS[NAMES[step.name]!]
        if (known !== undefined) {
          // As `load` does where a turn was cut off: nobody hears of a closer by an event.
          known.events.push({
            seq: known.events.length,
            time: 1,
            type: 'turn/end',
            data: { turn: 1, reason: { kind: 'interrupted' } },
          })
          host.live.adopt({ ...known, events: [...known.events], checkpoint: [], waitingForApproval: false })
        } else {
          await host.start(id, parent)
        }
        break
      }
      case 'append': {
        const session = host.live.get(ids[step.name]!)
        for (let time = 0; time < step.times; time += 1) session?.append(EVENTS[step.event]!)
        break
      }
      case 'stop': {
        const session = host.live.get(ids[step.name]!)
        if (session !== undefined) await stopped(host, session.id)
        break
      }
      case 'trash': {
        const id = ids[step.name]!
        for (const one of treeOf(NAMES[step.name]!)) {
          if (host.live.get(one) !== undefined) await stopped(host, one)
          trashed.set(
            one,
            windows.map(({ state }) => state.epoch),
          )
        }
        host.streams.listed({ kind: 'removed', sessionId: id })
        break
      }
      case 'watch':
        // A batch that is on its way was made for what was looked at before.
        await vi.advanceTimersByTimeAsync(0)
        windows[step.which]!.look({ open: step.open, listed: step.listed })
        break
      case 'answer':
        windows[step.which]!.does(step.does)
        break
      case 'reconnect':
        windows[step.which]!.subscribe()
        break
      case 'wait':
        await vi.advanceTimersByTimeAsync(step.ms)
        break
    }
  }
  for (const window of windows) window.does(true)
  await vi.advanceTimersByTimeAsync(200)
  return { host, windows, trashed, last }
}

/** Children first. */
function treeOf(top: string): SessionId[] {
  const below = NAMES.filter(one => PARENTS[one] === top).flatMap(treeOf)
  return [...below, toSessionId(top)]
}

async function stopped(host: StreamHost, id: SessionId): Promise<void> {
  const going = host.live.dispose(host.live.get(id)!)
  await vi.advanceTimersByTimeAsync(60)
  await going
}

function valuesIn(state: State, id: SessionId) {
  const cells = state.live.get(id)?.cells
  return cells && Object.fromEntries([...cells].map(([key, { value }]) => [key, value]))
}

describe('what a window hears', () => {
  it('ends, after any interleaving, equal to a fresh snapshot of everything it shows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(op, { minLength: 10, maxLength: 100, size: 'max' }), async ops => {
        const { host, windows, trashed, last } = await play([...everyone, ...ops])
        try {
          for (const [index, { state, watch, rejected }] of windows.entries()) {
            expect(rejected).toEqual([])
            for (const [id, epochs] of trashed) {
              // A window that was not there learns it from its lists.
              if (PARENTS[id] === undefined && epochs[index] === state.epoch)
                expect(state.live.has(id)).toBe(false)
            }
            for (const { id, header } of host.live.list()) {
              const isSeen =
                header.origin === undefined ||
                watch.open.includes(id) ||
                watch.listed.includes(header.parentSession!)
              if (!isSeen) continue
              expect(valuesIn(state, id)).toEqual(host.registry.snapshot(id)?.values)
              expect(state.live.get(id)?.activity).toBe('running')
              expect(state.live.get(id)?.rollup ?? { running: 0, waiting: 0 }).toEqual(host.rollups.of(id))
            }
            for (const [id, held] of state.transcripts) {
              if (trashed.has(id)) continue
              expect(held.behind).toBeNull()
              expect(held.events).toEqual(host.logs.get(id)?.events ?? [])
            }
          }
          for (const [id, { values, epochs }] of last) {
            if (PARENTS[id] !== undefined || trashed.has(id) || host.live.get(id) !== undefined) continue
            for (const [index, { state }] of windows.entries()) {
              if (state.epoch !== epochs[index]) continue
              expect(valuesIn(state, id)).toEqual(values)
              expect(state.live.get(id)?.activity).toBe('inactive')
            }
          }
          expect(host.problems).toEqual([])
        } finally {
          for (const { stop } of windows) stop()
        }
      }),
      { numRuns: 100 },
    )
  }, 60_000)
})

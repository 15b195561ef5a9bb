import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Fold } from '#shared/projection/fold.ts'
import { UNITS } from '#shared/projection/units.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { headerOf } from '../session/fixtures/live-store.ts'
import { LiveSessions } from '../session/live-sessions.ts'
import type { Session } from '../session/session.ts'
import type { AppendBatch, AppendResult, SessionCheckpoint } from '../store/persistence.ts'
import { CheckpointPolicy } from './checkpoint-policy.ts'
import { ProjectionRegistry } from './registry.ts'

/* Whatever saving does, and however late: a checkpoint never says more than the log holds (contracts §3). */

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const NAMES = ['a', 'b', 'c'] as const

type Act =
  | {
      readonly kind: 'says' | 'asks' | 'ends' | 'goes'
      readonly who: (typeof NAMES)[number]
      readonly times: number
    }
  | { readonly kind: 'waits'; readonly ms: number }
  | { readonly kind: 'saves'; readonly how: 'well' | 'late' | 'never' | 'elsewhere' }
  | { readonly kind: 'checkpoints'; readonly how: 'well' | 'late' | 'never' }

const who = fc.constantFrom(...NAMES)
const anyAct: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('says' as const), who, times: fc.constantFrom(1, 3, 250) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('asks' as const, 'ends' as const),
      who,
      times: fc.constant(1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('goes' as const), who, times: fc.constant(1) }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('waits' as const), ms: fc.constantFrom(1, 40, 60, 700) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('saves' as const),
      how: fc.constantFrom('well' as const, 'late' as const, 'never' as const, 'elsewhere' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('checkpoints' as const),
      how: fc.constantFrom('well' as const, 'late' as const, 'never' as const),
    }),
  },
)

/** A store that says when it has what, and what it thinks of the checkpoints that it is given. */
function openStore() {
  const logs = new Map<SessionId, StoredEvent[]>()
  const kept = new Map<SessionId, SessionCheckpoint>()
  const faults: string[] = []
  const mood = { saves: 'well', checkpoints: 'well' } as { saves: string; checkpoints: string }

  const later = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

  function take({ sessionId, expectedSeq, events }: AppendBatch): AppendResult {
    const log = logs.get(sessionId) ?? []
    if (mood.saves === 'elsewhere' || log.length !== expectedSeq) return 'conflict'
    logs.set(sessionId, [...log, ...events])
    return 'written'
  }

  return {
    logs,
    kept,
    faults,
    mood,
    persistence: {
      create: async () => {},
      readFrom: async () => [],
      async append(batches: readonly AppendBatch[]): Promise<AppendResult[]> {
        if (mood.saves === 'never') throw new Error('the disk is full')
        if (mood.saves === 'late') await later(120)
        return batches.map(take)
      },
    },
    async write(checkpoints: readonly SessionCheckpoint[]): Promise<void> {
      for (const checkpoint of checkpoints) check(checkpoint)
      if (mood.checkpoints === 'never') throw new Error('no checkpoints today')
      if (mood.checkpoints === 'late') await later(90)
      for (const checkpoint of checkpoints) kept.set(checkpoint.sessionId, checkpoint)
    },
  }

  /** Its rows are of one moment, which the log holds, and say what a fold of the log up to there says. */
  function check({ sessionId, rows }: SessionCheckpoint): void {
    const log = logs.get(sessionId) ?? []
    const seqs = new Set(rows.map(({ seq }) => seq))
    const seq = rows[0]?.seq ?? -1
    if (seqs.size !== 1) faults.push(`${sessionId}: rows of ${[...seqs].join(', ')}`)
    if (seq >= log.length) faults.push(`${sessionId}: ${seq} is ahead of ${log.length}`)
    const fold = new Fold(UNITS, headerOf(sessionId))
    for (const event of log.slice(0, seq + 1)) fold.apply(event)
    if (JSON.stringify(fold.checkpoint()) !== JSON.stringify(rows))
      faults.push(`${sessionId}: other rows at ${seq}`)
  }
}

const says = (session: Session, n: number) =>
  session.append({ type: 'session/title', data: { title: `${session.nextSeq} ${n}`, source: 'person' } })
const ends = (session: Session) =>
  session.append({ type: 'turn/end', data: { turn: 1, reason: { kind: 'completed' } } })
const asks = (session: Session) =>
  session.append({
    type: 'approval/asked',
    data: {
      turn: 1,
      step: 1,
      callId: 'c',
      approvalId: `q${session.nextSeq}`,
      name: 'shell',
      toolClass: 'shell',
      input: {},
      pattern: 'shell: ls',
    },
  })

it('a checkpoint is of one moment and never ahead of the log, whatever saving does meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyAct, { minLength: 5, maxLength: 40 }), async acts => {
      const store = openStore()
      const { persistence } = store
      let clock = 1000
      const live = new LiveSessions({ persistence, now: () => clock, onError: () => {}, onTrouble: () => {} })
      const registry = new ProjectionRegistry(UNITS, () => {})
      registry.follow(live)
      const policy = new CheckpointPolicy({ live, registry, checkpoints: store, onError: () => {} })
      live.onRemoved(session => registry.forget(session))
      for (const name of NAMES) await live.create(headerOf(name), [])

      for (const act of acts) {
        if (act.kind === 'waits') {
          clock += act.ms * 10
          await vi.advanceTimersByTimeAsync(act.ms)
        } else if (act.kind === 'saves') store.mood.saves = act.how
        else if (act.kind === 'checkpoints') store.mood.checkpoints = act.how
        else {
          const session = live.list().find(({ id }) => id === act.who)
          if (session === undefined) continue
          if (act.kind === 'goes') live.dispose(session).catch(() => {})
          for (let n = 0; n < act.times && act.kind === 'says'; n += 1) says(session, n)
          if (act.kind === 'ends') ends(session)
          if (act.kind === 'asks') asks(session)
        }
      }
      store.mood.saves = 'well'
      store.mood.checkpoints = 'well'
      for (const session of live.list()) ends(session)
      await vi.advanceTimersByTimeAsync(10_000)

      expect(store.faults).toEqual([])
      // Once all is well again, each session that is still here has a checkpoint up to its end.
      for (const { id, nextSeq } of live.list()) {
        expect(store.logs.get(id)).toHaveLength(nextSeq)
        expect(store.kept.get(id)?.rows[0]?.seq).toBe(nextSeq - 1)
      }
      await policy.settle()
    }),
    { numRuns: 60 },
  )
})

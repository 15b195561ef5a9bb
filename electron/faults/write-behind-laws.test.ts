import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { StoredEvent } from '#shared/session/events.ts'
import { headerOf, titled } from '../session/fixtures/live-store.ts'
import { Session } from '../session/session.ts'
import { WriteBehind } from '../session/write-behind.ts'
import type { AppendBatch, AppendResult } from '../store/persistence.ts'

/*
 * Whatever a medium does with writes, in any order: takes them, refuses them, takes them and says that it did not,
 * lets them hang. Nothing is lost, written twice or out of order, and nothing is said to be durable that is not.
 */

type Fate = 'taken' | 'refused' | 'taken-and-denied'
interface Mood {
  readonly fate: Fate
  readonly afterMs: number
}

const moods = fc.record({
  fate: fc.constantFrom<Fate>('taken', 'refused', 'taken-and-denied'),
  afterMs: fc.constantFrom(0, 1, 40, 700, 2600),
})
const steps = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('say' as const), who: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('flush' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(0, 5, 60, 1200) }),
  },
)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** One write after the other, as the store does them; when its moods are used up it only takes. */
function createMedium(left: Mood[]) {
  const logs = new Map<string, StoredEvent[]>()
  let last: Promise<unknown> = Promise.resolve()
  const logOf = (id: string) => logs.get(id) ?? logs.set(id, []).get(id) ?? []

  function take(batches: readonly AppendBatch[]): AppendResult[] {
    return batches.map(({ sessionId, expectedSeq, events }) => {
      const log = logOf(sessionId)
      if (log.length !== expectedSeq) return 'conflict'
      log.push(...structuredClone(events))
      return 'written'
    })
  }
  async function decide(batches: readonly AppendBatch[]): Promise<readonly AppendResult[]> {
    const { fate, afterMs } = left.shift() ?? { fate: 'taken', afterMs: 1 }
    await new Promise(resolve => setTimeout(resolve, afterMs))
    if (fate === 'refused') throw full()
    const results = take(batches)
    if (fate === 'taken-and-denied') throw full()
    return results
  }
  return {
    logOf,
    append(batches: readonly AppendBatch[]) {
      const copies = batches.map(batch => ({ ...batch, events: [...batch.events] }))
      const answer = last.then(() => decide(copies))
      last = answer.catch(() => undefined)
      return answer
    },
    readFrom: async (id: string, seq: number, limit: number) => logOf(id).slice(seq, seq + limit),
  }
}

function full() {
  return Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
}

it('keeps every event once and in order, and its word about what is durable', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(moods, { maxLength: 12 }),
      fc.array(steps, { maxLength: 30 }),
      async (plan, play) => {
        const medium = createMedium([...plan])
        const conflicts: string[] = []
        const writer = new WriteBehind({
          persistence: medium,
          onTrouble: () => {},
          onConflict: ({ id }) => conflicts.push(id),
        })
        const sessions = ['a', 'b', 'c'].map(
          name =>
            new Session(headerOf(name), [], {
              now: () => 0,
              onAppend: (session, event) => writer.enqueue(session, event),
            }),
        )
        const said = sessions.map((): string[] => [])
        const isDurable = (ends: readonly number[]) =>
          sessions.every(({ id }, index) => medium.logOf(id).length >= (ends[index] ?? 0))

        const broken: string[] = []
        for (const [index, step] of play.entries()) {
          if (step.kind === 'say') {
            sessions[step.who]?.append(titled(String(index)))
            said[step.who]?.push(String(index))
          } else if (step.kind === 'flush') {
            const ends = sessions.map(({ nextSeq }) => nextSeq)
            writer.flush().then(
              () => void (isDurable(ends) || broken.push('a flush was done before its events were durable')),
              () => undefined,
            )
          } else await vi.advanceTimersByTimeAsync(step.ms)
          for (const { id, savedSeq } of sessions) {
            if (savedSeq > medium.logOf(id).length) broken.push(`${id} was said to be saved and is not`)
          }
        }
        await vi.advanceTimersByTimeAsync(120_000)

        expect({ broken, conflicts, trouble: writer.trouble }).toEqual({
          broken: [],
          conflicts: [],
          trouble: null,
        })
        for (const [index, session] of sessions.entries()) {
          const log = medium.logOf(session.id)
          expect(log.map(({ data }) => (data as { title: string }).title)).toEqual(said[index])
          expect(log.map(({ seq }) => seq)).toEqual(log.map((_, seq) => seq))
          expect(session.savedSeq).toBe(log.length)
          expect(writer.isUnsaved(session.id)).toBe(false)
        }
      },
    ),
    { numRuns: 150 },
  )
})

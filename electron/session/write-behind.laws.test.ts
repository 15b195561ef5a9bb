import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { StoredEvent } from '#shared/session/events.ts'
import type { AppendBatch, AppendResult } from '../store/persistence.ts'
import { headerOf, titled } from './fixtures/live-store.ts'
import { Session } from './session.ts'
import { WriteBehind } from './write-behind.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A store that keeps what it is told in order, when it is told to answer. */
function createSlowStore() {
  const logs = new Map<string, StoredEvent[]>()
  const waiting: {
    readonly batches: readonly AppendBatch[]
    readonly answer: (fails: boolean, lands: boolean) => void
  }[] = []

  function write(batches: readonly AppendBatch[]): AppendResult[] {
    return batches.map(({ sessionId, expectedSeq, events }) => {
      const log = logs.get(sessionId) ?? []
      if (log.length !== expectedSeq) return 'conflict'
      logs.set(sessionId, [...log, ...events])
      return 'written'
    })
  }

  return {
    logs,
    waiting,
    append: (batches: readonly AppendBatch[]) =>
      new Promise<readonly AppendResult[]>((resolve, reject) => {
        waiting.push({
          batches,
          answer: (fails, lands) => {
            const results = !fails || lands ? write(batches) : []
            if (fails) reject(new Error('the medium failed'))
            else resolve(results)
          },
        })
      }),
    readFrom: (id: string, seq: number, limit: number) =>
      Promise.resolve((logs.get(id) ?? []).slice(seq, seq + limit)),
  }
}

const of = fc.nat(1)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('append' as const), of }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('append and flush' as const), of }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(1200) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('answer' as const), fails: fc.boolean(), lands: fc.boolean() }),
  },
)

it('saves every event once and in order, whatever fails, and no flush is done before what it waits for', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async steps => {
      const store = createSlowStore()
      const fenced: string[] = []
      const writer = new WriteBehind({
        persistence: store,
        onTrouble: () => {},
        onConflict: session => fenced.push(session.id),
      })
      const sessions = ['a', 'b'].map(
        name =>
          new Session(headerOf(name), [], {
            now: () => 0,
            onAppend: (session, event) => writer.enqueue(session, event),
          }),
      )
      const isDurable = (owed: readonly number[]) =>
        sessions.every(({ id }, index) => (store.logs.get(id)?.length ?? 0) >= (owed[index] ?? 0))
      const broken: string[] = []

      for (const one of steps) {
        if (one.kind === 'append' || one.kind === 'append and flush')
          sessions[one.of]?.append(titled(String(sessions[one.of]?.nextSeq)))
        if (one.kind === 'append and flush') {
          const owed = sessions.map(({ nextSeq }) => nextSeq)
          writer.flush().then(
            () => isDurable(owed) || broken.push('a flush was done too early'),
            () => {},
          )
        }
        if (one.kind === 'answer') store.waiting.shift()?.answer(one.fails, one.lands)
        await vi.advanceTimersByTimeAsync(one.kind === 'pass' ? one.ms : 0)
      }
      for (let round = 0; round < 40; round += 1) {
        store.waiting.shift()?.answer(false, true)
        await vi.advanceTimersByTimeAsync(1000)
      }

      expect([broken, fenced]).toEqual([[], []])
      for (const session of sessions) {
        const log = store.logs.get(session.id) ?? []
        expect(log.map(({ seq }) => seq)).toEqual(session.tail.map(({ seq }) => seq))
        expect([session.savedSeq, writer.isUnsaved(session.id)]).toEqual([session.nextSeq, false])
      }
      expect(writer.trouble).toBeNull()
    }),
    { numRuns: 400 },
  )
})

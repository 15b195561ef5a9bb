import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WorkbenchError } from '#shared/errors.ts'
import { type SessionId, toSessionId } from '#shared/session/ids.ts'
import { finishedTurn, log, sessionHeader } from './fixtures/logs.ts'
import type { FoldedInspection } from './persistence.ts'
import { SecondReader } from './second-reader.ts'
import { openStore } from './store-client.ts'

const ids = Array.from({ length: 40 }, (_, index) => toSessionId(`s${index}`))

describe('many cold logs at once', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'espalier-reader-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('are folded the same, and with what was acknowledged a moment before, whichever thread does it', async () => {
    const store = await openStore({ dataFolder: folder })
    const { persistence } = store
    for (const id of ids) await persistence.create(sessionHeader(id), log(finishedTurn))
    const lone = await persistence.inspectFolded(ids[0]!)

    for (let round = 1; round <= 6; round += 1) {
      await persistence.append(
        ids.map(sessionId => ({
          sessionId,
          expectedSeq: finishedTurn.length + round - 1,
          events: log(
            [['session/title', { title: `Title ${round}`, source: 'person' }]],
            finishedTurn.length + round - 1,
          ),
        })),
      )
      const found = await Promise.all(ids.map(id => persistence.inspectFolded(id)))
      expect(new Set(found.map(({ snapshot }) => snapshot.values['title']))).toEqual(
        new Set([`Title ${round}`]),
      )
      expect(new Set(found.map(({ snapshot }) => snapshot.asOfSeq))).toEqual(
        new Set([finishedTurn.length + round - 1]),
      )
      expect(found[0]?.snapshot.values['outcome']).toEqual(lone.snapshot.values['outcome'])
    }
    await store.close()
  })
})

describe('a second reader', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** A thread that answers when told. */
  function thread() {
    const waiting: (() => void)[] = []
    const closed = vi.fn(async () => {})
    const call = (_method: string, [id]: [SessionId]) =>
      new Promise<FoldedInspection>(resolve => {
        waiting.push(() => resolve({ header: sessionHeader(id) } as FoldedInspection))
      })
    const answerAll = () => {
      for (const answer of waiting.splice(0)) answer()
    }
    return { client: { call: call as never, close: closed }, waiting, closed, answerAll }
  }

  it('is started when several wait, takes what the first has no time for, and ends when it is idle', async () => {
    const first = thread()
    const second = thread()
    const start = vi.fn(async () => second.client)
    const reader = new SecondReader({ first: first.client, start, onError: () => {} })
    const reads = ids.slice(0, 3).map(id => reader.inspectFolded(id))
    expect(start).not.toHaveBeenCalled()
    reads.push(reader.inspectFolded(ids[3]!))
    await vi.advanceTimersByTimeAsync(0)
    reads.push(...ids.slice(4, 8).map(id => reader.inspectFolded(id)))

    expect([first.waiting.length, second.waiting.length, start.mock.calls.length]).toEqual([4, 4, 1])
    first.answerAll()
    second.answerAll()
    expect((await Promise.all(reads)).map(({ header }) => header.id)).toEqual(ids.slice(0, 8))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(second.closed).toHaveBeenCalledOnce()
    expect(first.closed).not.toHaveBeenCalled()
  })

  it('that dies costs nothing: what it had is read by the first, and so is all that follows', async () => {
    const first = thread()
    const lost = new WorkbenchError('STORE_UNAVAILABLE', 'The store thread has ended.')
    const dead = { call: (() => Promise.reject(lost)) as never, close: async () => {} }
    const problems: unknown[] = []
    const start = vi.fn(async () => dead)
    const reader = new SecondReader({ first: first.client, start, onError: error => problems.push(error) })
    const reads = ids.slice(0, 4).map(id => reader.inspectFolded(id))
    await vi.advanceTimersByTimeAsync(0)
    reads.push(...ids.slice(4, 12).map(id => reader.inspectFolded(id)))
    await vi.advanceTimersByTimeAsync(0)
    first.answerAll()

    expect((await Promise.all(reads)).map(({ header }) => header.id)).toEqual(ids.slice(0, 12))
    expect([start.mock.calls.length, problems]).toEqual([1, [lost]])
  })

  it('that cannot be started is done without, and is told of', async () => {
    const first = thread()
    const problems: unknown[] = []
    const start = () => Promise.reject(new Error('no more threads'))
    const reader = new SecondReader({ first: first.client, start, onError: error => problems.push(error) })
    const reads = ids.slice(0, 6).map(id => reader.inspectFolded(id))
    await vi.advanceTimersByTimeAsync(0)
    first.answerAll()

    expect(await Promise.all(reads)).toHaveLength(6)
    expect(problems).toMatchObject([{ message: 'no more threads' }])
  })
})

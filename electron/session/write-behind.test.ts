import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { StoredEvent } from '#shared/session/events.ts'
import type { AppendBatch, AppendResult } from '../store/persistence.ts'
import { headerOf, titled, titlesOf } from './fixtures/live-store.ts'
import { Session } from './session.ts'
import { WriteBehind } from './write-behind.ts'

/*
 * Saving behind the appends. Numbers are those of the study's §8.12. On purpose different: one window of 50 ms and
 * one transaction for all sessions (40, 41); events are frozen, so none is copied (40); a failed write is tried
 * again every second, not at the next event (46); what a barrier meets is told to windows as well (48).
 */

interface Write {
  readonly batches: readonly AppendBatch[]
  finish(results?: readonly AppendResult[]): Promise<void>
  fail(error: Error): Promise<void>
}

let writes: Write[]
/** What the store holds already when it is asked. */
let stored: readonly StoredEvent[]
let writer: WriteBehind
let troubles: (string | null)[]
let conflicts: string[]

beforeEach(() => {
  vi.useFakeTimers()
  writes = []
  stored = []
  troubles = []
  conflicts = []
  writer = new WriteBehind({
    persistence: {
      readFrom: async (_id, seq, limit) => stored.filter(event => event.seq >= seq).slice(0, limit),
      append: batches =>
        new Promise<readonly AppendResult[]>((resolve, reject) => {
          writes.push({
            batches,
            async finish(results = batches.map(() => 'written')) {
              resolve(results)
              await vi.advanceTimersByTimeAsync(0)
            },
            async fail(error) {
              reject(error)
              await vi.advanceTimersByTimeAsync(0)
            },
          })
        }),
    },
    onTrouble: trouble => troubles.push(trouble?.kind ?? null),
    onConflict: session => conflicts.push(session.id),
  })
})
afterEach(() => {
  vi.useRealTimers()
})

function sessionOf(name: string): Session {
  return new Session(headerOf(name), [], {
    now: () => 0,
    onAppend: (session, event) => writer.enqueue(session, event),
  })
}

const full = () => Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const written = (write: Write | undefined) =>
  write?.batches.map(({ sessionId, expectedSeq, events }) => [sessionId, expectedSeq, titlesOf(events)])

function settled(promise: Promise<void>) {
  const state = { is: 'pending' }
  promise.then(
    () => Object.assign(state, { is: 'durable' }),
    (error: { code?: string }) => Object.assign(state, { is: error.code }),
  )
  return state
}

describe('the window', () => {
  it('ends 50 ms after the first event, not after the last (8.12.40, 8.12.41)', async () => {
    const a = sessionOf('a')
    for (let count = 0; count < 5; count += 1) {
      a.append(titled(String(count)))
      await pass(9)
    }
    expect(writes).toHaveLength(0)
    await pass(5)
    expect(writes.map(written)).toEqual([[['a', 0, ['0', '1', '2', '3', '4']]]])
  })

  it('gathers all sessions into one transaction', async () => {
    const a = sessionOf('a')
    const b = sessionOf('b')
    a.append(titled('1'))
    b.append(titled('2'))
    a.append(titled('3'))
    await pass(50)
    expect(writes.map(written)).toEqual([
      [
        ['a', 0, ['1', '3']],
        ['b', 0, ['2']],
      ],
    ])
  })

  it('writes nothing when nothing was said', async () => {
    await pass(1000)
    await writer.flush()
    expect(writes).toHaveLength(0)
  })

  it('has one write under way at a time; what comes meanwhile is the next (8.12.4)', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    await pass(50)
    a.append(titled('2'))
    await pass(500)
    expect(writes).toHaveLength(1)
    await writes[0]?.finish()
    await pass(50)
    expect(writes.map(written)).toEqual([[['a', 0, ['1']]], [['a', 1, ['2']]]])
  })

  it('that ran out during a write ends with it; another keeps its end (8.12.44, 8.12.45)', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    await pass(50)
    a.append(titled('2'))
    await pass(80)
    await writes[0]?.finish()
    expect(writes).toHaveLength(2)

    a.append(titled('3'))
    await pass(30)
    await writes[1]?.finish()
    await pass(19)
    expect(writes).toHaveLength(2)
    await pass(1)
    expect(writes).toHaveLength(3)
  })

  it('is cut short by many events, and a second write carries those behind them', async () => {
    const a = sessionOf('a')
    const say = (count: number) => {
      for (let done = 0; done < count; done += 1) a.append(titled('x'))
    }
    say(999)
    await pass(0)
    expect(writes).toHaveLength(0)
    say(1)
    await pass(0)
    say(1000)
    await pass(0)
    say(1000)
    await pass(0)
    expect(writes.map(({ batches }) => batches.map(({ events }) => events.length))).toEqual([[1000], [1000]])
  })

  it('tells a session what is durable', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    a.append(titled('2'))
    await pass(50)
    expect(a.savedSeq).toBe(0)
    expect(writer.isUnsaved(a.id)).toBe(true)
    await writes[0]?.finish()
    expect(a.savedSeq).toBe(2)
    expect(writer.isUnsaved(a.id)).toBe(false)
  })
})

describe('a flush', () => {
  it('writes at once and is done when everything before it is durable', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    const barrier = settled(writer.flush())
    await pass(0)
    expect(writes).toHaveLength(1)
    expect(barrier.is).toBe('pending')
    await writes[0]?.finish()
    expect(barrier.is).toBe('durable')
  })

  it('is done at once when nothing is owed', async () => {
    const barrier = settled(writer.flush())
    await pass(0)
    expect(barrier.is).toBe('durable')
  })

  it('during a write covers what came since, and flushes that are asked together are one (8.12.42)', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    await pass(50)
    a.append(titled('2'))
    const barriers = [settled(writer.flush()), settled(writer.flush())]
    await writes[0]?.finish()
    expect(barriers.map(({ is }) => is)).toEqual(['pending', 'pending'])
    expect(written(writes[1])).toEqual([['a', 1, ['2']]])
    await writes[1]?.finish()
    expect(barriers.map(({ is }) => is)).toEqual(['durable', 'durable'])
    expect(writes).toHaveLength(2)
  })

  it('during a write waits for it, also when nothing came since', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    await pass(50)
    const barrier = settled(writer.flush())
    await pass(0)
    expect(barrier.is).toBe('pending')
    await writes[0]?.finish()
    await pass(0)
    expect(barrier.is).toBe('durable')
    expect(writes).toHaveLength(1)
  })

  it('leaves later events to a window of their own (8.12.43)', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    void writer.flush()
    await pass(0)
    a.append(titled('2'))
    await writes[0]?.finish()
    expect(writes).toHaveLength(1)
    await pass(50)
    expect(writes).toHaveLength(2)
  })
})

describe('a flush during a write', () => {
  it('does not wait for it to end before its own is on its way; a third does', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    const first = settled(writer.flush())
    await pass(0)
    a.append(titled('2'))
    const second = settled(writer.flush())
    await pass(0)
    a.append(titled('3'))
    const third = settled(writer.flush())
    await pass(0)
    expect(writes.map(written)).toEqual([[['a', 0, ['1']]], [['a', 1, ['2']]]])

    await writes[1]?.finish()
    expect([first.is, second.is]).toEqual(['pending', 'pending'])
    await writes[0]?.finish()
    expect([first.is, second.is, third.is]).toEqual(['durable', 'durable', 'pending'])
    expect(written(writes[2])).toEqual([['a', 2, ['3']]])
  })

  it('is kept with it when it fails, in order, and nobody is fenced', async () => {
    const a = sessionOf('a')
    const b = sessionOf('b')
    a.append(titled('1'))
    const first = settled(writer.flush())
    await pass(0)
    a.append(titled('2'))
    b.append(titled('3'))
    const second = settled(writer.flush())
    await pass(0)
    a.append(titled('4'))

    await writes[0]?.fail(full())
    await writes[1]?.finish(['conflict', 'written'])
    expect([first.is, second.is]).toEqual(['NOT_SAVED', 'pending'])
    expect([conflicts, b.savedSeq, writer.trouble?.kind]).toEqual([[], 1, 'full'])

    await pass(1000)
    expect(written(writes[2])).toEqual([['a', 0, ['1', '2', '4']]])
    await writes[2]?.finish()
    expect([second.is, a.savedSeq, writer.trouble]).toEqual(['durable', 3, null])
  })

  it('keeps those waiting who came after what failed, though their own was written', async () => {
    const a = sessionOf('a')
    const b = sessionOf('b')
    a.append(titled('1'))
    void writer.flush().catch(() => {})
    await pass(0)
    b.append(titled('2'))
    const second = settled(writer.flush())
    await pass(0)

    await writes[0]?.fail(full())
    await writes[1]?.finish()
    expect(second.is).toBe('pending')
    await pass(1000)
    await writes[2]?.finish()
    expect(second.is).toBe('durable')
  })
})

describe('a write that fails', () => {
  it('keeps its events before the later ones, in order, and is tried again every second (8.12.46)', async () => {
    const a = sessionOf('a')
    const b = sessionOf('b')
    a.append(titled('1'))
    await pass(50)
    a.append(titled('2'))
    b.append(titled('3'))
    await writes[0]?.fail(full())

    await pass(999)
    expect(writes).toHaveLength(1)
    await pass(1)
    expect(written(writes[1])).toEqual([
      ['a', 0, ['1', '2']],
      ['b', 0, ['3']],
    ])

    await writes[1]?.fail(full())
    await pass(1000)
    expect(written(writes[2])).toEqual(written(writes[1]))
    await writes[2]?.finish()
    expect([a.savedSeq, b.savedSeq]).toEqual([2, 1])
  })

  it('is told once while it lasts, and once when it is over', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    await pass(50)
    await writes[0]?.fail(full())
    expect(writer.trouble).toEqual({ kind: 'full', detail: 'SQLITE_FULL: database or disk is full' })
    await pass(1000)
    await writes[1]?.fail(full())
    await pass(1000)
    await writes[2]?.finish()
    expect(troubles).toEqual(['full', null])
    expect(writer.trouble).toBeNull()
  })

  it('fails the barriers that wait for it and no others; the next flush tries again at once (8.12.47, 8.12.48)', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    const first = settled(writer.flush())
    await pass(0)
    await writes[0]?.fail(full())
    expect(first.is).toBe('NOT_SAVED')

    const second = settled(writer.flush())
    await pass(0)
    expect(writes).toHaveLength(2)
    await writes[1]?.finish()
    expect(second.is).toBe('durable')
    expect(a.savedSeq).toBe(1)
  })

  it('never rushes: events that come while saving fails wait for the next try', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    await pass(50)
    await writes[0]?.fail(full())
    a.append(titled('2'))
    await pass(500)
    expect(writes).toHaveLength(1)
  })

  it('keeps a very long batch (8.12.49)', async () => {
    const a = sessionOf('a')
    for (let count = 0; count < 200_000; count += 1) a.append(titled('x'))
    await pass(50)
    for (let count = 0; count < 200_000; count += 1) a.append(titled('y'))
    await writes[0]?.fail(full())
    await pass(1000)
    expect(writes[1]?.batches[0]?.events).toHaveLength(400_000)
  })
})

describe('a write that does not end', () => {
  it('is trouble within two seconds, and none any more when it ends', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    await pass(1549)
    expect(troubles).toEqual([])
    await pass(1)
    expect(troubles).toEqual(['slow'])

    await pass(60_000)
    expect(writes).toHaveLength(1)
    expect(troubles).toEqual(['slow'])
    await writes[0]?.finish()
    expect(troubles).toEqual(['slow', null])
    expect(a.savedSeq).toBe(1)
  })

  it('fails the barriers that wait for it, and those that come to wait meanwhile within a second', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    const first = settled(writer.flush())
    await pass(1500)
    expect(first.is).toBe('NOT_SAVED')

    a.append(titled('2'))
    const second = settled(writer.flush())
    await pass(999)
    expect(second.is).toBe('pending')
    await pass(1)
    expect(second.is).toBe('NOT_SAVED')
    expect(writes).toHaveLength(1)
  })

  it('has its later events written when it ends, once each and in order', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    await pass(2000)
    a.append(titled('2'))
    const barrier = settled(writer.flush())
    await writes[0]?.finish()
    await writes[1]?.finish()
    expect(barrier.is).toBe('durable')
    expect(writes.map(written)).toEqual([[['a', 0, ['1']]], [['a', 1, ['2']]]])
  })

  it('that fails in the end tells the reason instead', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    await pass(2000)
    await writes[0]?.fail(full())
    await pass(1000)
    await writes[1]?.finish()
    expect(troubles).toEqual(['slow', 'full', null])
    expect(a.savedSeq).toBe(1)
  })

  it('does not keep the last flush waiting', async () => {
    sessionOf('a').append(titled('1'))
    await pass(50)
    const closing = settled(writer.close())
    await pass(2500)
    expect(closing.is).toBe('NOT_SAVED')
    expect(writes).toHaveLength(1)
  })
})

describe('a write that fails although it reached the disk', () => {
  it('is found there and not written twice', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    await pass(50)
    stored = [...(writes[0]?.batches[0]?.events ?? [])]
    await writes[0]?.fail(full())
    await pass(1000)
    await writes[1]?.finish(['conflict'])

    expect(conflicts).toEqual([])
    expect(a.savedSeq).toBe(1)
    expect(troubles).toEqual(['full', null])
    await pass(5000)
    expect(writes).toHaveLength(2)
  })

  it('is followed by what came after it, and the barriers wait for that', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    await pass(50)
    stored = [...(writes[0]?.batches[0]?.events ?? [])]
    await writes[0]?.fail(full())
    a.append(titled('2'))
    const barrier = settled(writer.flush())
    await pass(0)
    await writes[1]?.finish(['conflict'])
    expect(barrier.is).toBe('pending')
    await pass(0)
    expect(written(writes[2])).toEqual([['a', 1, ['2']]])
    await writes[2]?.finish()
    expect(barrier.is).toBe('durable')
    expect(a.savedSeq).toBe(2)
  })

  it('is somebody else’s when the log holds other events there', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    await pass(50)
    stored = (writes[0]?.batches[0]?.events ?? []).map(event => ({ ...event, time: 99 }))
    await writes[0]?.fail(full())
    await pass(1000)
    await writes[1]?.finish(['conflict'])
    expect(conflicts).toEqual(['a'])
  })

  it('is looked for again when the log could not be read', async () => {
    const a = sessionOf('a')
    const b = sessionOf('b')
    a.append(titled('1'))
    b.append(titled('2'))
    await pass(50)
    const landed = [...(writes[0]?.batches[0]?.events ?? [])]
    await writes[0]?.fail(full())
    await pass(1000)
    const readable = stored
    stored = new Proxy(readable, {
      get: () => {
        throw full()
      },
    })
    await writes[1]?.finish(['conflict', 'written'])
    stored = landed
    await pass(1000)
    expect(writes[2] && written(writes[2])).toEqual([
      ['a', 0, ['1']],
      ['b', 0, ['2']],
    ])
    stored = [...landed]
    await writes[2]?.finish(['conflict', 'conflict'])
    expect(conflicts).toEqual(['b'])
  })
})

describe('a conflict', () => {
  it('fences the session it is about, never those beside it', async () => {
    const a = sessionOf('a')
    const b = sessionOf('b')
    a.append(titled('1'))
    b.append(titled('2'))
    const barrier = settled(writer.flush())
    await pass(0)
    await writes[0]?.finish(['conflict', 'written'])

    expect(conflicts).toEqual(['a'])
    expect([a.savedSeq, b.savedSeq]).toEqual([0, 1])
    expect(barrier.is).toBe('durable')
    await pass(5000)
    expect(writes).toHaveLength(1)
  })

  it('is what a session that is gone from the store meets as well', async () => {
    const a = sessionOf('a')
    a.append(titled('1'))
    await pass(50)
    await writes[0]?.finish(['missing'])
    expect(conflicts).toEqual(['a'])
  })
})

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { historyPageSchema } from '#shared/contract/session-shapes.ts'
import { Fold, type FoldSnapshot } from '#shared/projection/fold.ts'
import { UNITS } from '#shared/projection/units.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import { lifecycleFacts, type SessionHeader } from '#shared/session/header.ts'
import { type SessionId, toSessionId } from '#shared/session/ids.ts'
import { headerOf, openLive, type TestLive, titled, titlesOf } from '../session/fixtures/live-store.ts'
import { createHistory, type HistoryDeps } from './history.ts'
import { ProjectionRegistry } from './registry.ts'

/* Pages of a log (contracts §5), live and cold, counted read by read. */

let bench: TestLive
let registry: ProjectionRegistry
let problems: unknown[]
let reads: string[]
let late: [SessionId, FoldSnapshot][]

beforeEach(async () => {
  bench = await openLive()
  problems = []
  reads = []
  late = []
  registry = new ProjectionRegistry(UNITS, error => problems.push(error))
  registry.follow(bench.live)
})
afterEach(() => bench.close())

const S = toSessionId('s')

function history(change: Partial<HistoryDeps['checkpoints']> = {}) {
  const { persistence, store, live } = bench
  return createHistory({
    live,
    registry,
    persistence: {
      page(id, range, signal) {
        reads.push(`page ${range.before ?? 'tail'} ${range.limit}`)
        return persistence.page(id, range, signal)
      },
      readFrom(id, seq, limit, signal) {
        reads.push(`from ${seq} ${limit}`)
        return persistence.readFrom(id, seq, limit, signal)
      },
    },
    checkpoints: {
      snapshot(id, signal) {
        reads.push('snapshot')
        return store.checkpoints.snapshot(id, signal)
      },
      recentSnapshot(id, maxTail, signal) {
        reads.push('recent snapshot')
        return store.checkpoints.recentSnapshot(id, maxTail, signal)
      },
      ...change,
    },
    onLateSnapshot: (id, snapshot) => late.push([id, snapshot]),
    onError: error => problems.push(error),
  })
}

const titles = (count: number): StoredEvent[] =>
  Array.from({ length: count }, (_, seq) => ({
    seq,
    time: seq,
    type: 'session/title',
    data: { title: `t${seq}`, source: 'person' },
  }))

async function cold(count: number, facts: Partial<SessionHeader> = {}): Promise<SessionHeader> {
  const header = headerOf('s', facts)
  await bench.persistence.create(header, titles(count))
  return header
}

async function checkpointed(header: SessionHeader, events: readonly StoredEvent[]): Promise<void> {
  const fold = new Fold(UNITS, header)
  for (const event of events) fold.apply(event)
  const rows = fold.checkpoint()
  await bench.store.checkpoints.write([
    { sessionId: header.id, facts: lifecycleFacts(header), rows, faults: [] },
  ])
}

async function liveOf(count: number) {
  const session = await bench.create('s')
  for (let index = 0; index < count; index += 1) session.append(titled(`t${index}`))
  await bench.live.flush()
  return session
}

/** All pages from the tail to the start, as a window reads them. */
async function readAll(limit: number): Promise<unknown[]> {
  const one = history()
  const found: StoredEvent[] = []
  let before: number | undefined
  do {
    const page = await one.page(S, before === undefined ? { limit } : { before, limit })
    found.unshift(...page.events)
    before = page.nextBefore ?? undefined
  } while (before !== undefined)
  return titlesOf(found)
}

describe('a page of a live session', () => {
  it('is served from memory, with the values as of its last event', async () => {
    await liveOf(30)
    const page = await history().page(S, { limit: 10 })
    expect(historyPageSchema.parse(page)).toEqual(page)
    expect(titlesOf(page.events)).toEqual(
      titles(30)
        .slice(20)
        .map(({ data }) => (data as { title: string }).title),
    )
    expect(page).toMatchObject({
      nextBefore: 20,
      endSeq: 30,
      seedLength: 0,
      live: true,
      damage: [],
      snapshot: { asOfSeq: 29, values: { title: 't29' }, faults: [] },
    })
    expect(reads).toEqual([])
  })

  it('has what was said a moment ago, saved or not', async () => {
    const session = await liveOf(1)
    bench.hand.append = () => new Promise(() => {})
    session.append(titled('just now'))
    expect(titlesOf((await history().page(S, { limit: 5 })).events)).toEqual(['t0', 'just now'])
    bench.hand.append = null
  })

  it('carries values at the tail only', async () => {
    await liveOf(30)
    expect((await history().page(S, { before: 20, limit: 10 })).snapshot).toBeNull()
  })

  it('reads what memory let go of from the store, once', async () => {
    const session = await liveOf(1500)
    const first = session.tail[0]?.seq ?? 0
    expect(first).toBeGreaterThan(0)

    const across = await history().page(S, { before: first + 5, limit: 20 })
    expect(across.events.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 20 }, (_, index) => first - 15 + index),
    )
    expect(reads).toEqual([`from ${first - 15} 15`])

    reads = []
    const older = await history().page(S, { before: 10, limit: 20 })
    expect(older.events.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(older.nextBefore).toBeNull()
    expect(reads).toEqual(['from 0 10'])
  })

  it('is empty before the first event, and the tail for a place past the end', async () => {
    await liveOf(3)
    expect(await history().page(S, { before: 0, limit: 5 })).toMatchObject({ events: [], nextBefore: null })
    expect((await history().page(S, { before: 99, limit: 2 })).events.map(({ seq }) => seq)).toEqual([1, 2])
  })

  it('follows another without a gap or a repeat, down to the start', async () => {
    await liveOf(1234)
    expect(await readAll(100)).toEqual(titlesOf(titles(1234)))
  })
})

describe('a page of a cold session', () => {
  it('is one range read, with the values that its checkpoint gives', async () => {
    await checkpointed(await cold(30), titles(25))
    const page = await history().page(S, { limit: 10 })
    expect(historyPageSchema.parse(page)).toEqual(page)
    expect(page).toMatchObject({
      nextBefore: 20,
      endSeq: 30,
      live: false,
      snapshot: { asOfSeq: 29, values: { title: 't29' } },
    })
    expect(reads).toEqual(['page tail 10', 'recent snapshot'])
  })

  it('above the tail asks for nothing but its own range', async () => {
    await cold(30)
    const page = await history().page(S, { before: 20, limit: 10 })
    expect(page.snapshot).toBeNull()
    expect(reads).toEqual(['page 20 10'])
  })

  it('follows another without a gap or a repeat, down to the start', async () => {
    await cold(234)
    expect(await readAll(50)).toEqual(titlesOf(titles(234)))
    expect(reads.filter(read => read.startsWith('page'))).toHaveLength(5)
  })

  it('of a long log with a checkpoint costs the same reads as that of a short one', async () => {
    await checkpointed(await cold(6000), titles(5990))
    const page = await history().page(S, { limit: 10 })
    expect(page.snapshot).toMatchObject({ asOfSeq: 5999 })
    expect(reads).toEqual(['page tail 10', 'recent snapshot'])
    expect(late).toEqual([])
  })

  it('of a long log without one comes first; its values follow, folded once for all who wait', async () => {
    await cold(6000)
    const one = history()
    const pages = await Promise.all([one.page(S, { limit: 10 }), one.page(S, { limit: 10 })])
    expect(pages.map(({ snapshot, events }) => [snapshot, events.length])).toEqual([
      [null, 10],
      [null, 10],
    ])
    await expect.poll(() => late.length).toBe(1)
    expect(late).toMatchObject([['s', { asOfSeq: 5999, values: { title: 't5999' }, faults: [] }]])
    expect(reads.filter(read => read === 'snapshot')).toHaveLength(1)
  })

  it('is never withheld for values that cannot be made: that is reported', async () => {
    await cold(3)
    const fault = new Error('no values today')
    const page = await history({ recentSnapshot: () => Promise.reject(fault) }).page(S, { limit: 10 })
    expect(page).toMatchObject({ snapshot: null, endSeq: 3 })
    expect(page.events).toHaveLength(3)
    expect(problems).toEqual([fault])
  })

  it('reports values that could not be made later, and tries again with the next page', async () => {
    await cold(6000)
    let failing = true
    const fault = new Error('not now')
    const one = history({
      snapshot: (id, signal) =>
        failing ? Promise.reject(fault) : bench.store.checkpoints.snapshot(id, signal),
    })
    await one.page(S, { limit: 1 })
    await expect.poll(() => problems).toEqual([fault])
    failing = false
    await one.page(S, { limit: 1 })
    await expect.poll(() => late.length).toBe(1)
  })

  it('says where its inherited part ends, and names what is damaged', async () => {
    await cold(10, { seedLength: 4 })
    const db = new Database(join(bench.folder, 'espalier.db'))
    db.exec(`UPDATE event SET data = '{' WHERE seq = 5`)
    db.close()
    const page = await history().page(S, { limit: 10 })
    expect(page).toMatchObject({ seedLength: 4, damage: [{ kind: 'log-undecodable', seq: 5 }] })
    expect(page.events.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 6, 7, 8, 9])
  })

  it('of nobody is refused', async () => {
    await expect(history().page(S, { limit: 10 })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(problems).toEqual([])
  })

  it('that nobody waits for any more ends with the caller’s reason, and reports nothing', async () => {
    await cold(3)
    const aborting = new AbortController()
    const reading = history().page(S, { limit: 10 }, aborting.signal)
    aborting.abort(new Error('left'))
    await expect(reading).rejects.toThrow('left')
    expect(problems).toEqual([])
  })
})

describe('one event', () => {
  it('comes from memory where it is there, else from the store', async () => {
    await liveOf(1500)
    expect(await history().event(S, 1499)).toMatchObject({ seq: 1499, data: { title: 't1499' } })
    expect(reads).toEqual([])
    expect(await history().event(S, 3)).toMatchObject({ seq: 3 })
    expect(reads).toEqual(['from 3 1'])
  })

  it('that is not there is refused, also where a later one is', async () => {
    await cold(3)
    await expect(history().event(S, 3)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    const db = new Database(join(bench.folder, 'espalier.db'))
    db.exec('DELETE FROM event WHERE seq = 1')
    db.close()
    await expect(history().event(S, 1)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  })
})

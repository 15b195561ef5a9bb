import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UNITS } from '#shared/projection/units.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { createHistory } from '../projection/history.ts'
import { ProjectionRegistry } from '../projection/registry.ts'
import { openLive, type TestLive } from '../session/fixtures/live-store.ts'
import { SessionQuery } from './session-query.ts'

let bench: TestLive
let query: SessionQuery
beforeEach(async () => {
  bench = await openLive()
  const { live, persistence, store } = bench
  const onError = (error: unknown) => expect.fail(String(error))
  const registry = new ProjectionRegistry(UNITS, onError)
  const history = createHistory({ live, registry, persistence, checkpoints: store.checkpoints, onError })
  query = new SessionQuery({ live, persistence, history })
})
afterEach(() => bench.close())

const id = toSessionId
const turns = (count: number): StoredEvent[] =>
  Array.from({ length: count }, (_, seq) => ({ seq, time: 1, type: 'turn/start', data: { turn: seq } }))

function store(name: string, facts: Partial<SessionHeader>, events: number): Promise<void> {
  return bench.persistence.create({ version: 1, id: id(name), createdAt: 1, ...facts }, turns(events))
}

describe('the trace of a session', () => {
  it('goes from the top down, and says where its events were first written', async () => {
    await store('root', {}, 9)
    await store('fork', { parentSession: id('root'), seedLength: 6 }, 10)
    await store('child', { parentSession: id('fork'), origin: 'subagent', seedLength: 8 }, 12)

    expect(await query.traceSession(id('child'))).toEqual({
      steps: [
        { id: 'root', relation: 'root', seedLength: 0 },
        { id: 'fork', relation: 'fork', seedLength: 6 },
        { id: 'child', relation: 'subagent', seedLength: 8 },
      ],
      origins: [
        { sessionId: 'root', from: 0, to: 6 },
        { sessionId: 'fork', from: 6, to: 8 },
        { sessionId: 'child', from: 8, to: null },
      ],
    })
  })

  it('leaves out sessions that wrote nothing of it', async () => {
    await store('root', {}, 9)
    await store('fork', { parentSession: id('root'), seedLength: 6 }, 10)
    await store('again', { parentSession: id('fork'), seedLength: 4 }, 5)
    await store('fresh', { parentSession: id('again'), origin: 'subagent' }, 5)

    const { origins } = await query.traceSession(id('again'))
    const fresh = await query.traceSession(id('fresh'))

    expect(origins).toEqual([
      { sessionId: 'root', from: 0, to: 4 },
      { sessionId: 'again', from: 4, to: null },
    ])
    expect(fresh.origins).toEqual([{ sessionId: 'fresh', from: 0, to: null }])
  })

  it('ends below a session that is gone, and where a cycle closes', async () => {
    await store('a', { parentSession: id('b') }, 1)
    await store('b', { parentSession: id('a') }, 1)
    await store('orphan', { parentSession: id('gone'), seedLength: 2 }, 3)

    expect((await query.traceSession(id('a'))).steps.map(step => step.id)).toEqual(['b', 'a'])
    expect(await query.traceSession(id('orphan'))).toEqual({
      steps: [{ id: 'orphan', relation: 'root', seedLength: 2 }],
      origins: [{ sessionId: 'orphan', from: 0, to: null }],
    })
    await expect(query.traceSession(id('nobody'))).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})

describe('the events of a session', () => {
  const seqs = async (name: string, from: number, limit: number) =>
    (await query.listEvents(id(name), { from, limit })).map(({ seq }) => seq)

  it('are read from the store when it is cold', async () => {
    await store('cold', {}, 10)

    expect([await seqs('cold', 3, 2), await seqs('cold', 9, 5), await seqs('cold', 10, 5)]).toEqual([
      [3, 4],
      [9],
      [],
    ])
    expect(await query.readEvent(id('cold'), 4)).toMatchObject({ seq: 4, data: { turn: 4 } })
    await expect(query.readEvent(id('cold'), 10)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  })

  it('are those in memory and in the store together when it is live', async () => {
    const session = await bench.live.create({ version: 1, id: id('live'), createdAt: 1 }, [])
    for (let turn = 0; turn < 1500; turn += 1) session.append({ type: 'turn/start', data: { turn } })
    await bench.live.flush()
    session.append({ type: 'turn/start', data: { turn: 1500 } })
    const tailStart = session.tail[0]?.seq ?? 0

    expect(tailStart).toBeGreaterThan(0)
    expect(await seqs('live', tailStart - 2, 4)).toEqual([
      tailStart - 2,
      tailStart - 1,
      tailStart,
      tailStart + 1,
    ])
    expect(await seqs('live', 1499, 9)).toEqual([1499, 1500])
    expect(await seqs('live', 0, 2)).toEqual([0, 1])
    expect(await query.readEvent(id('live'), 1500)).toMatchObject({ seq: 1500 })
  })
})

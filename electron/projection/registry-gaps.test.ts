import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UNITS } from '#shared/projection/units.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { headerOf, openLive, type TestLive, titled } from '../session/fixtures/live-store.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { Session } from '../session/session.ts'
import { ProjectionRegistry } from './registry.ts'

/*
 * A registry that missed something refolds it (contracts §3): numbers are those of the study's §8.9. It misses nothing
 * of its own accord; here it is made to, between the sessions and it.
 */

let bench: TestLive
let problems: unknown[]
let heard: [string, number][]
/** Seqs that are kept from the registry. */
let lost: Set<number>
/** Beginnings of log reads. */
let reads: number[]
let beforeRead: () => Promise<void>

beforeEach(async () => {
  bench = await openLive()
  problems = []
  heard = []
  reads = []
  lost = new Set()
  beforeRead = async () => {}
})
afterEach(() => bench.close())

const S = toSessionId('s')
const NEVER_HEARD = Number.POSITIVE_INFINITY

function leaky(): Pick<LiveSessions, 'list' | 'onAdded' | 'onEvent'> {
  const { live } = bench
  return {
    list: () => live.list(),
    onAdded: listener =>
      live.onAdded((session, loaded) => {
        if (!lost.has(NEVER_HEARD)) listener(session, loaded)
      }),
    onEvent: listener =>
      live.onEvent((session, event) => {
        if (!lost.has(event.seq)) listener(session, event)
      }),
  }
}

function newRegistry(): ProjectionRegistry {
  const registry = new ProjectionRegistry(
    UNITS,
    error => problems.push(error),
    async (id, seq, limit) => {
      reads.push(seq)
      await beforeRead()
      return bench.persistence.readFrom(id, seq, limit)
    },
  )
  registry.onChanged(({ key, seq }) => {
    if (key === 'title' || key === 'turns') heard.push([key, seq])
  })
  return registry
}

const says = (session: Session, from: number, to: number) => {
  for (let n = from; n <= to; n += 1) session.append(titled(`title ${n}`))
}
const turn = (session: Session, number: number) =>
  session.append({ type: 'turn/start', data: { turn: number } })
const settled = () => new Promise(resolve => setTimeout(resolve, 60))

describe('a registry that comes late', () => {
  it('folds what live sessions said before, then follows them (8.9.2)', async () => {
    const session = await bench.create('s')
    turn(session, 1)
    says(session, 1, 2)
    const registry = newRegistry()

    registry.follow(bench.live)

    expect(registry.snapshot(S)).toMatchObject({
      asOfSeq: 2,
      values: { title: 'title 2', turns: { own: 1 } },
    })
    expect(reads).toEqual([])
    says(session, 3, 3)
    expect(registry.snapshot(S)).toMatchObject({ asOfSeq: 3, values: { title: 'title 3' } })
  })

  it('reads from the log what is no longer in memory, and stands still until it has it (8.9.2)', async () => {
    const session = await bench.create('s')
    turn(session, 1)
    says(session, 1, 1200)
    await bench.live.flush()
    says(session, 1201, 1250)
    const registry = newRegistry()

    registry.follow(bench.live)
    expect(registry.snapshot(S)).toMatchObject({ asOfSeq: -1, faults: [] })
    says(session, 1251, 1251)
    await expect.poll(() => registry.snapshot(S)?.asOfSeq).toBe(1251)

    expect(registry.snapshot(S)?.values).toMatchObject({ title: 'title 1251', turns: { own: 1 } })
    expect(reads).toEqual([0, 500])
    expect(heard.map(([, seq]) => seq)).toEqual(heard.map(([, seq]) => seq).toSorted((a, b) => a - b))
    expect(problems).toEqual([])
  })

  it('folds a session that it was not told of, at its first event', async () => {
    const registry = newRegistry()
    registry.follow(leaky())
    lost.add(NEVER_HEARD)
    const session = await bench.create('s')
    expect(registry.snapshot(S)).toBeNull()
    turn(session, 1)
    expect(registry.snapshot(S)).toMatchObject({ asOfSeq: 0, values: { turns: { own: 1 } } })
  })
})

describe('a registry that missed an event', () => {
  it('takes it from memory as soon as the next one comes, and tells both', async () => {
    const registry = newRegistry()
    registry.follow(leaky())
    const session = await bench.create('s')
    lost.add(1).add(2)
    says(session, 0, 0)
    turn(session, 1)
    turn(session, 2)
    expect(registry.snapshot(S)).toMatchObject({ asOfSeq: 0, values: { turns: { own: 0 } } })

    says(session, 3, 3)

    expect(registry.snapshot(S)).toMatchObject({
      asOfSeq: 3,
      values: { title: 'title 3', turns: { own: 2, latest: 2 } },
      faults: [],
    })
    expect(heard).toEqual([
      ['title', 0],
      ['turns', 1],
      ['turns', 2],
      ['title', 3],
    ])
    expect(reads).toEqual([])
  })

  it('reads it from the log where memory has let go of it; what comes meanwhile is not lost', async () => {
    const registry = newRegistry()
    registry.follow(leaky())
    const session = await bench.create('s')
    for (let seq = 0; seq < 700; seq += 1) lost.add(seq)
    turn(session, 1)
    says(session, 1, 699)
    await bench.live.flush()
    let goOn = (): void => {}
    beforeRead = () => new Promise(resolve => (goOn = resolve))

    says(session, 700, 700)
    says(session, 701, 702)
    expect(registry.snapshot(S)).toMatchObject({ asOfSeq: -1, values: { title: null } })
    beforeRead = async () => {}
    goOn()

    await expect.poll(() => registry.snapshot(S)?.asOfSeq).toBe(702)
    expect(registry.snapshot(S)?.values).toMatchObject({ title: 'title 702', turns: { own: 1 } })
    expect(heard[0]).toEqual(['turns', 0])
    expect(heard).toHaveLength(703)
    expect(problems).toEqual([])
  })

  it('says so when the log cannot be read, keeps what it knows, and tries again at the next event', async () => {
    const registry = newRegistry()
    registry.follow(leaky())
    const session = await bench.create('s')
    for (let seq = 1; seq < 700; seq += 1) lost.add(seq)
    says(session, 0, 699)
    await bench.live.flush()
    const fault = new Error('no disk')
    beforeRead = () => Promise.reject(fault)
    says(session, 700, 700)
    await settled()
    expect(problems).toEqual([fault])
    expect(registry.snapshot(S)).toMatchObject({ asOfSeq: 0, values: { title: 'title 0' } })

    beforeRead = async () => {}
    says(session, 701, 701)
    await expect.poll(() => registry.snapshot(S)?.asOfSeq).toBe(701)
  })

  it('says so when the log does not hold it either', async () => {
    const registry = new ProjectionRegistry(UNITS, error => problems.push(error))
    registry.follow(bench.live)
    const events: StoredEvent[] = [{ seq: 5, time: 1, type: 'turn/start', data: { turn: 1 } }]
    bench.live.adopt({ header: headerOf('s'), events, checkpoint: [], waitingForApproval: false })
    await settled()
    expect(problems).toEqual([new Error('event 0 of session s is nowhere to be found')])
    expect(registry.snapshot(S)).toMatchObject({ asOfSeq: -1, values: { turns: { own: 0 } } })
  })

  it('stops reading for a session that went', async () => {
    const registry = newRegistry()
    registry.follow(leaky())
    bench.live.onRemoved(session => registry.forget(session))
    const session = await bench.create('s')
    for (let seq = 0; seq < 700; seq += 1) lost.add(seq)
    says(session, 0, 699)
    await bench.live.flush()
    let goOn = (): void => {}
    beforeRead = () => new Promise(resolve => (goOn = resolve))
    says(session, 700, 700)
    await bench.live.dispose(session)
    goOn()
    await settled()
    expect(reads).toEqual([0])
    expect(registry.snapshot(S)).toBeNull()
    expect(problems).toEqual([])
  })
})

import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { anyLog } from '#shared/projection/fixtures/any-log.ts'
import { defineUnit, type Unit } from '#shared/projection/unit.ts'
import { UNITS } from '#shared/projection/units.ts'
import { closersOf } from '#shared/session/closers.ts'
import type { NewEvent, StoredEvent } from '#shared/session/events.ts'
import { lifecycleFacts } from '#shared/session/header.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { headerOf, openLive, type TestLive, titled } from '../session/fixtures/live-store.ts'
import type { Session } from '../session/session.ts'
import { ProjectionRegistry } from './registry.ts'

/*
 * The folds of live sessions. Numbers are those of the study's §8.9: here 1, 3–6, 11–13; 2 is `registry-gaps.test.ts`,
 * 7, 9, 10, 15, 21 and 23 are `hostile-units.test.ts`, 14 and 16–22 are `fold.test.ts`. On purpose different: a list of
 * units belongs to a registry for good, so that live and cold folds cannot differ in it. A registry may come late (2);
 * no unit is registered twice, held by owners or taken away (7, 8, 11, 12): a listener is, and a session. A change says
 * which key changed and the value is read when it is pushed (4).
 */

let bench: TestLive
let registry: ProjectionRegistry
let problems: unknown[]
let heard: [string, string, number][]

beforeEach(async () => {
  bench = await openLive()
  follow(UNITS)
})
afterEach(() => bench.close())

function follow(units: readonly Unit[]): void {
  problems = []
  heard = []
  registry = new ProjectionRegistry(units, error => problems.push(error))
  registry.follow(bench.live)
  registry.onChanged(({ session, key, seq }) => heard.push([session.id, key, seq]))
}

const say = (session: Session, type: string, data: unknown) => session.append({ type, data } as NewEvent)
const S = toSessionId('s')

const bomb = defineUnit({
  key: 'bomb',
  stateVersion: 1,
  stateSchema: z.number(),
  init: () => 0,
  apply: (state, event) => {
    if (String(event.type) === 'x/bomb') throw new Error('set off')
    return state + 1
  },
  view: (state: number) => state,
  viewSchema: z.number(),
}) as Unit

describe('a registry', () => {
  it('folds every event of a live session: one cut of all values (8.9.1)', async () => {
    const session = await bench.create('s')
    session.append({ type: 'turn/start', data: { turn: 1 } })
    session.append(titled('Now'))

    expect(registry.snapshot(S)).toMatchObject({
      asOfSeq: 1,
      values: { title: 'Now', outcome: { kind: 'running' }, subagent: null },
      faults: [],
    })
    expect(Object.keys(registry.snapshot(S)?.values ?? {})).toHaveLength(UNITS.length)
    expect(registry.valueOf(S, 'title')).toBe('Now')
    expect(registry.stateOf(S, 'title')).toEqual({ given: 'Now', first: null })
  })

  it('knows an empty session as of −1 (8.9.3)', async () => {
    await bench.create('s')
    expect(registry.snapshot(S)).toMatchObject({ asOfSeq: -1, values: { title: null } })
  })

  it('knows nothing of a session that is not live', () => {
    expect(registry.snapshot(S)).toBeNull()
    expect(registry.valueOf(S, 'title')).toBeUndefined()
    expect(registry.stateOf(S, 'title')).toBeUndefined()
  })

  it('tells what changed with the seq that did it, and nothing when nothing did (8.9.4)', async () => {
    const session = await bench.create('s')
    session.append(titled('A'))
    say(session, 'x/unknown', {})
    session.append(titled('B'))
    expect(heard).toEqual([
      ['s', 'title', 0],
      ['s', 'title', 2],
    ])
  })

  it('has folded an event before anyone else hears of it', async () => {
    const seen: unknown[] = []
    bench.live.onEvent(session => seen.push(registry.valueOf(session.id, 'title')))
    const session = await bench.create('s')
    session.append(titled('A'))
    expect(seen).toEqual(['A'])
  })

  it('keeps sessions apart (8.9.5)', async () => {
    const a = await bench.create('a')
    const b = await bench.create('b')
    a.append(titled('A'))
    b.append(titled('B'))
    expect([registry.valueOf(a.id, 'title'), registry.valueOf(b.id, 'title')]).toEqual(['A', 'B'])
  })

  it('publishes nothing of a unit without a view, which is folded and checkpointed all the same (8.9.6, 8.9.13, 8.9.20)', async () => {
    const { view: _, viewSchema: __, ...hostOnly } = defineUnit({ ...bomb, key: 'hostOnly' })
    follow([...UNITS, hostOnly])
    const session = await bench.create('s')
    session.append(titled('A'))

    expect(heard.map(([, key]) => key)).not.toContain('hostOnly')
    expect(Object.keys(registry.snapshot(S)?.values ?? {})).not.toContain('hostOnly')
    expect(registry.stateOf(S, 'hostOnly')).toBe(1)
    expect(registry.checkpoint(session)?.rows).toContainEqual({
      key: 'hostOnly',
      stateVersion: 1,
      seq: 0,
      state: 1,
    })
  })

  it('tells a listener nothing any more once it has gone (8.9.12)', async () => {
    const late: number[] = []
    const stop = registry.onChanged(({ seq }) => late.push(seq))
    const session = await bench.create('s')
    session.append(titled('A'))
    stop()
    session.append(titled('B'))
    expect(late).toEqual([0])
    expect(heard).toHaveLength(2)
  })

  it('folds a session anew when it comes back (8.9.11)', async () => {
    bench.live.onRemoved(session => registry.forget(session))
    const session = await bench.create('s')
    session.append(titled('A'))
    await bench.live.dispose(session)
    bench.live.adopt(await bench.persistence.load(S))
    expect(registry.snapshot(S)).toMatchObject({ asOfSeq: 0, values: { title: 'A' }, faults: [] })
    expect(heard).toHaveLength(1)
  })

  it('still has the last values while a session goes, until it is told to forget (8.9.11)', async () => {
    const last: unknown[] = []
    bench.live.onRemoved(session => last.push(registry.valueOf(session.id, 'title')))
    bench.live.onRemoved(session => registry.forget(session))
    const session = await bench.create('s')
    session.append(titled('Last'))
    await bench.live.dispose(session)
    expect(last).toEqual(['Last'])
    expect(registry.snapshot(S)).toBeNull()
  })

  it('contains a listener that throws: the others hear, the log goes on', async () => {
    const fault = new Error('a bad listener')
    registry.onChanged(() => {
      throw fault
    })
    const late: string[] = []
    registry.onChanged(({ key }) => late.push(key))
    const session = await bench.create('s')
    session.append(titled('A'))
    expect(late).toEqual(['title'])
    expect(problems).toEqual([fault])
    await bench.live.flush()
    expect(await bench.stored('s')).toHaveLength(1)
  })

  it('stands a listener that appends: each change is told once, in order', async () => {
    const session = await bench.create('s')
    registry.onChanged(({ seq }) => {
      if (seq < 3) session.append(titled(`reply ${seq}`))
    })
    session.append(titled('first'))
    expect(heard.map(([, , seq]) => seq)).toEqual([0, 1, 2, 3])
    expect(registry.valueOf(S, 'title')).toBe('reply 2')
  })
})

describe('a unit that breaks', () => {
  it('reads null for that session and key alone, and one change says so', async () => {
    follow([...UNITS, bomb])
    const session = await bench.create('s')
    const other = await bench.create('other')
    other.append(titled('Well'))
    say(session, 'x/bomb', null)
    session.append(titled('Goes on'))

    expect(registry.snapshot(S)).toMatchObject({
      values: { bomb: null, title: 'Goes on' },
      faults: [{ key: 'bomb', message: 'set off' }],
    })
    expect(heard.filter(([id, key]) => id === 's' && key === 'bomb')).toEqual([['s', 'bomb', 0]])
    expect(registry.snapshot(other.id)).toMatchObject({ values: { bomb: 1 }, faults: [] })
    expect(problems).toEqual([])
  })

  it('has no row in the checkpoint, which names it; without a row it folds the whole log anew', async () => {
    follow([...UNITS, bomb])
    const session = await bench.create('s')
    session.append(titled('A'))
    say(session, 'x/bomb', null)

    const checkpoint = registry.checkpoint(session)

    expect(checkpoint).toMatchObject({
      sessionId: 's',
      facts: lifecycleFacts(session.header),
      faults: ['bomb'],
    })
    expect(checkpoint?.rows.map(({ key }) => key)).not.toContain('bomb')
    expect(checkpoint?.rows.every(({ seq }) => seq === 1)).toBe(true)
  })
})

describe('live, restored and cold', () => {
  const cold = async (id: string) => (await bench.persistence.inspectFolded(toSessionId(id))).snapshot

  /** As a finished log, so that no closer adds to what was said. */
  function finished(events: readonly StoredEvent[]): StoredEvent[] {
    const closers = closersOf(events, null).map((closer, index) => ({
      seq: events.length + index,
      time: 1,
      ...closer,
    }))
    return [...events, ...closers]
  }

  it('values of the same events are deeply equal, whatever the log', async () => {
    let count = 0
    await fc.assert(
      fc.asyncProperty(anyLog, fc.nat({ max: 40 }), async (anything, cut) => {
        count += 1
        const name = `s${count}`
        // As disk gives them: what a live session would refuse cannot be there.
        const events: StoredEvent[] = finished(JSON.parse(JSON.stringify(anything))).filter(isEvent)
        const split = Math.min(cut, events.length)
        const session = await bench.live.create(headerOf(name), [], events.slice(0, split))
        for (const { type, data } of events.slice(split)) say(session, type, data)
        await bench.live.flush()
        const live = registry.snapshot(session.id)
        const checkpoint = registry.checkpoint(session)
        if (checkpoint !== null) await bench.store.checkpoints.write([checkpoint])
        await bench.live.dispose(session)

        // A cold outcome never looks alive: in a finished log only waiting for children could.
        const asCold = { ...live?.values, outcome: (await cold(name)).values['outcome'] }
        expect((await cold(name)).values).toEqual(asCold)
        expect((await bench.store.checkpoints.snapshot(session.id)).values).toEqual(asCold)

        const events2 = await bench.persistence.readFrom(session.id, 0, 1000)
        const rows = JSON.parse(JSON.stringify(checkpoint?.rows ?? []))
        const again = bench.live.adopt({
          header: session.header,
          events: events2,
          checkpoint: rows,
          waitingForApproval: false,
        })
        expect(registry.snapshot(session.id)).toEqual(live)
        await bench.live.dispose(again)
      }),
      { numRuns: 25 },
    )
  })

  function isEvent(event: StoredEvent): boolean {
    return event.data !== undefined
  }
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { NewEvent } from '#shared/session/events.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { headerOf, openLive, type TestLive, titled, titlesOf } from './fixtures/live-store.ts'

/* The sessions that this process hosts. Numbers are those of the study's §8.14 and §8.11. */

let bench: TestLive
beforeEach(async () => {
  bench = await openLive()
})
afterEach(() => bench.close())

const own: NewEvent[] = [titled('One'), titled('Two')]

describe('creating a session', () => {
  it('makes header and first events durable before anyone hears of it', async () => {
    const heard: unknown[] = []
    bench.live.onAdded(({ id }, { events }) => heard.push([id, events.length]))

    const creating = bench.live.create(headerOf('s'), own)
    expect(bench.live.get(toSessionId('s'))).toBeUndefined()
    const session = await creating

    expect(heard).toEqual([['s', 2]])
    expect(titlesOf(await bench.stored('s'))).toEqual(['One', 'Two'])
    expect(bench.live.list()).toEqual([session])
    expect(session.nextSeq).toBe(2)
  })

  it('writes inherited events first, once, with the seqs they had (8.11.24)', async () => {
    const seed = [{ seq: 0, time: 7, type: 'x', data: { old: true } }]
    const session = await bench.live.create(headerOf('s', { seedLength: 1 }), own, seed)
    await bench.live.flush()

    expect((await bench.stored('s')).map(({ seq, time }) => [seq, time])).toEqual([
      [0, 7],
      [1, 1001],
      [2, 1001],
    ])
    expect(session.tail).toHaveLength(3)
  })

  it('does not announce what it begins with as events (8.14.5)', async () => {
    const heard: unknown[] = []
    bench.live.onEvent((_, event) => heard.push(event.seq))
    const session = await bench.live.create(headerOf('s'), own)
    expect(heard).toEqual([])
    session.append(titled('Three'))
    expect(heard).toEqual([2])
  })

  it('refuses an id that is live, or stored, and says so of a child in its own words (8.14.5)', async () => {
    await bench.create('s')
    await expect(bench.create('s')).rejects.toMatchObject({ name: 'WorkbenchError', code: 'SESSION_EXISTS' })

    await bench.persistence.create(headerOf('cold'), [])
    const child = headerOf('cold', { origin: 'subagent' })
    await expect(bench.live.create(child, [])).rejects.toMatchObject({
      name: 'SubagentError',
      code: 'DUPLICATE_CHILD',
    })
    expect(bench.live.list()).toHaveLength(1)
  })

  it('of one id asked for twice at once makes one session', async () => {
    const results = await Promise.allSettled([bench.create('s'), bench.create('s')])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  it('refuses first events that no log can hold, and reserves nothing', async () => {
    const lossy = { type: 'session/title', data: { title: undefined } } as unknown as NewEvent
    await expect(bench.live.create(headerOf('s'), [lossy])).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    expect(await bench.persistence.get(toSessionId('s'))).toBeNull()
    await bench.create('s')
  })

  it('keeps first events from those who gave them (8.14.2)', async () => {
    const data = { title: 'One', source: 'person' as const }
    const creating = bench.live.create(headerOf('s'), [{ type: 'session/title', data }])
    expect(() => Object.assign(data, { title: 'Changed' })).toThrow(TypeError)
    await creating
    expect(titlesOf(await bench.stored('s'))).toEqual(['One'])
  })
})

describe('listeners', () => {
  it('hear each event in order; one that throws is reported and stops nobody (8.14.5)', async () => {
    const heard: string[] = []
    const fault = new Error('a bad listener')
    bench.live.onEvent(() => {
      throw fault
    })
    bench.live.onEvent((session, event) => heard.push(`${session.id}${event.seq}`))
    const a = await bench.create('a')
    const b = await bench.create('b')

    a.append(titled('1'))
    b.append(titled('2'))
    a.append(titled('3'))

    expect(heard).toEqual(['a0', 'b0', 'a1'])
    expect(bench.problems).toEqual([fault, fault, fault])
    await bench.live.flush()
    expect(titlesOf(await bench.stored('a'))).toEqual(['1', '3'])
  })

  it('of the same kind all hear one event before any hears the next', async () => {
    const heard: string[] = []
    const session = await bench.create('s')
    bench.live.onEvent((_, event) => {
      heard.push(`first ${event.seq}`)
      if (event.seq === 0) session.append(titled('from the first'))
    })
    bench.live.onEvent((_, event) => heard.push(`second ${event.seq}`))

    session.append(titled('x'))

    expect(heard).toEqual(['first 0', 'second 0', 'first 1', 'second 1'])
  })

  it('may end their subscription while they are told', async () => {
    const heard: number[] = []
    const session = await bench.create('s')
    const end = bench.live.onEvent((_, event) => {
      heard.push(event.seq)
      end()
    })
    session.append(titled('a'))
    session.append(titled('b'))
    expect(heard).toEqual([0])
  })

  it('of beginnings and endings are contained as well', async () => {
    bench.live.onAdded(() => {
      throw new Error('added')
    })
    bench.live.onRemoved(() => {
      throw new Error('removed')
    })
    const session = await bench.create('s')
    await bench.live.dispose(session)
    expect(bench.problems.map(problem => (problem as Error).message)).toEqual(['added', 'removed'])
    expect(bench.live.list()).toEqual([])
  })
})

describe('letting go of a session', () => {
  it('saves what is left first, then closes it, once however often it is asked (8.11.33)', async () => {
    const gone: unknown[] = []
    bench.live.onRemoved(({ id }) => gone.push(id))
    const session = await bench.create('s')
    session.append(titled('Last'))

    await Promise.all([bench.live.dispose(session), bench.live.dispose(session)])
    await bench.live.dispose(session)

    expect(titlesOf(await bench.stored('s'))).toEqual(['Last'])
    expect(gone).toEqual(['s'])
    expect(session.isClosed).toBe(true)
  })

  it('never takes away a later session of the same id (8.14.5)', async () => {
    const first = await bench.create('s')
    await bench.live.dispose(first)
    const second = bench.live.adopt(await bench.persistence.load(toSessionId('s')))

    await bench.live.dispose(first)

    expect(bench.live.get(toSessionId('s'))).toBe(second)
  })

  it('that cannot be saved goes all the same, says so, and its events are saved later', async () => {
    const session = await bench.create('s')
    bench.hand.append = () => Promise.reject(new Error('the disk is full'))
    session.append(titled('Kept'))

    await expect(bench.live.dispose(session)).rejects.toMatchObject({ code: 'NOT_SAVED' })
    expect(bench.live.list()).toEqual([])

    bench.hand.append = null
    await bench.live.flush()
    expect(titlesOf(await bench.stored('s'))).toEqual(['Kept'])
  })

  it('cannot come back before its last events are saved: the store would tell less', async () => {
    const session = await bench.create('s')
    bench.hand.append = () => Promise.reject(new Error('the disk is full'))
    session.append(titled('Kept'))
    await bench.live.dispose(session).catch(() => {})
    const loaded = await bench.persistence.load(session.id)

    expect(() => bench.live.adopt(loaded)).toThrow(expect.objectContaining({ code: 'NOT_SAVED' }))

    bench.hand.append = null
    await bench.live.flush()
    const again = bench.live.adopt(await bench.persistence.load(session.id))
    again.append(titled('After'))
    await bench.live.flush()
    expect(titlesOf(await bench.stored('s'))).toEqual(['Kept', 'After'])
    expect(bench.problems).toEqual([])
  })
})

describe('resuming', () => {
  it('goes on where the log ended and writes none of it again (8.11.25)', async () => {
    const first = await bench.live.create(headerOf('s'), own)
    await bench.live.dispose(first)

    const session = bench.live.adopt(await bench.persistence.load(first.id))
    session.append(titled('Three'))
    await bench.live.flush()

    expect(titlesOf(await bench.stored('s'))).toEqual(['One', 'Two', 'Three'])
    expect(bench.batches).toHaveLength(1)
  })

  it('of what is live already is refused', async () => {
    const session = await bench.create('s')
    const loaded = { header: session.header, events: [], checkpoint: [], waitingForApproval: false }
    expect(() => bench.live.adopt(loaded)).toThrow(expect.objectContaining({ code: 'SESSION_EXISTS' }))
  })
})

describe('a log that another writer went on with', () => {
  it('closes the session here and leaves the others alone', async () => {
    const gone: unknown[] = []
    bench.live.onRemoved(({ id }) => gone.push(id))
    const fenced = await bench.create('s')
    const other = await bench.create('other')
    const event = { seq: 0, time: 1, type: 'session/title', data: { title: 'Theirs' } }
    await bench.persistence.append([{ sessionId: fenced.id, expectedSeq: 0, events: [event] }])

    fenced.append(titled('Ours'))
    other.append(titled('Fine'))
    await bench.live.flush()

    expect(titlesOf(await bench.stored('s'))).toEqual(['Theirs'])
    expect(titlesOf(await bench.stored('other'))).toEqual(['Fine'])
    expect(gone).toEqual(['s'])
    expect(bench.live.list()).toEqual([other])
    expect(() => fenced.append(titled('more'))).toThrow('disposed')
    expect(bench.problems).toMatchObject([{ code: 'SEQ_CONFLICT' }])
    expect(fenced.savedSeq).toBe(0)
  })
})

describe('what live sessions keep in memory', () => {
  it('is 500 saved events each, or a share of 10,000 when there are many, never fewer than a page', async () => {
    const kept = async (sessions: number) => {
      while (bench.live.list().length < sessions) {
        await bench.live.create(headerOf(`s${bench.live.list().length}`), [])
      }
      const [session] = bench.live.list()
      for (let count = 0; count < 700; count += 1) session?.append(titled('x'))
      await bench.live.flush()
      return session?.tail.length ?? 0
    }

    expect(await kept(1)).toBeGreaterThanOrEqual(500)
    expect(await kept(1)).toBeLessThan(500 + 64)
    expect(await kept(50)).toBeLessThan(200 + 64)
    expect(await kept(150)).toBeGreaterThanOrEqual(100)
  })
})

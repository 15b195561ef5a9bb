import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { NewEvent } from '#shared/session/events.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { databaseFile } from '../store/data-folder.ts'
import { headerOf, openLive, type TestLive, titled } from './fixtures/live-store.ts'
import { seedOf } from './fork.ts'

/*
 * What a fork inherits. Numbers are those of the study's §8.14.6. On purpose different: a cold source can be
 * forked, `atSeq` is the number of inherited events, a wrong one is `BAD_REQUEST`; the id of the new session is
 * made by whoever creates it.
 */

let bench: TestLive
beforeEach(async () => {
  bench = await openLive()
})
afterEach(() => bench.close())

const S = toSessionId('s')
const start = (turn = 1): NewEvent => ({ type: 'turn/start', data: { turn } })
const end = (kind: 'completed' | 'interrupted' = 'completed'): NewEvent => ({
  type: 'turn/end',
  data: { turn: 1, reason: { kind } },
})
const seed = async (atSeq?: number) =>
  (await seedOf({ live: bench.live, persistence: bench.persistence }, S, atSeq)).map(({ seq, type }) => [
    seq,
    type,
  ])
const typesOf = async (atSeq?: number) => (await seed(atSeq)).map(([, type]) => type)

async function cold(...events: NewEvent[]): Promise<void> {
  await bench.persistence.create(
    headerOf('s'),
    events.map(({ type, data }, seq) => ({ seq, time: seq, type, data })),
  )
}

function edit(statement: string): void {
  const db = new Database(databaseFile(bench.folder))
  db.exec(statement)
  db.close()
}

describe.each(['live', 'cold'])('the seed of a fork of a %s session', kind => {
  async function source(...events: NewEvent[]): Promise<void> {
    if (kind === 'cold') return cold(...events)
    const session = await bench.create('s')
    for (const event of events) session.append(event)
  }

  it('is empty for an empty source (8.14.6)', async () => {
    await source()
    expect(await seed()).toEqual([])
    expect(await seed(0)).toEqual([])
  })

  it('is the whole log when no turn is open, with what stands between turns (8.14.6)', async () => {
    await source(titled('T'), start(), end(), titled('U'))
    expect(await seed()).toEqual([
      [0, 'session/title'],
      [1, 'turn/start'],
      [2, 'turn/end'],
      [3, 'session/title'],
    ])
  })

  it('ends where it is told, also between turns and before the first (8.14.6)', async () => {
    await source(titled('T'), start(), end(), titled('U'), start(2), end())
    expect(await typesOf(1)).toEqual(['session/title'])
    expect(await typesOf(3)).toHaveLength(3)
    expect(await typesOf(4)).toHaveLength(4)
    expect(await typesOf(6)).toHaveLength(6)
  })

  it('may end before a turn that is open (8.14.6)', async () => {
    await source(start(), end(), start(2), titled('inside'))
    expect(await typesOf(2)).toEqual(['turn/start', 'turn/end'])
  })

  it('never ends inside a turn (8.14.6)', async () => {
    await source(start(), titled('inside'), end())
    await expect(seed(1)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    await expect(seed(2)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  })

  it('may end after a turn of any reason (8.14.6)', async () => {
    await source(start(), end('interrupted'))
    expect(await typesOf(2)).toHaveLength(2)
  })

  it.each([-1, 1.5, Number.NaN, 4])('is refused for a boundary that is none: %d (8.14.6)', async atSeq => {
    await source(titled('T'), titled('U'), titled('V'))
    await expect(seed(atSeq)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  })

  it('leaves the source as it was', async () => {
    await source(start(), titled('inside'))
    await bench.live.flush()
    const before = await bench.persistence.revision(S)
    await seed()
    expect(await bench.persistence.revision(S)).toBe(before)
  })
})

describe('the seed of a fork', () => {
  it('of a live session leaves out the turn that is open', async () => {
    const session = await bench.create('s')
    for (const event of [titled('T'), start(), end(), titled('U'), start(2), titled('inside')])
      session.append(event)
    expect(await typesOf()).toEqual(['session/title', 'turn/start', 'turn/end', 'session/title'])
  })

  it('of a cold session ends a turn that was cut off, as its resume would', async () => {
    await cold(start(), titled('inside'))
    expect(await typesOf()).toEqual(['turn/start', 'session/title', 'turn/end'])
  })

  it('reads past what a live session holds in memory', async () => {
    const session = await bench.create('s')
    for (let count = 0; count < 1500; count += 1) session.append(titled('x'))
    await bench.live.flush()
    expect(session.tail.length).toBeLessThan(1500)
    expect(await seed()).toHaveLength(1500)
  })

  it('reaches up to a hole and never behind it', async () => {
    await cold(titled('a'), start(), end(), titled('b'), titled('c'), titled('d'))
    edit('DELETE FROM event WHERE seq = 4')

    expect(await typesOf(3)).toHaveLength(3)
    expect(await typesOf()).toHaveLength(4)
    await expect(seed(5)).rejects.toMatchObject({ code: 'SESSION_DAMAGED' })
    await expect(seed(6)).rejects.toMatchObject({ code: 'SESSION_DAMAGED' })
  })

  it('takes no closer for an event behind a hole', async () => {
    await cold(start(), titled('inside'), titled('lost'), titled('behind'))
    edit('DELETE FROM event WHERE seq = 2')

    await expect(seed(3)).rejects.toMatchObject({ code: 'SESSION_DAMAGED' })
    expect(await typesOf()).toEqual(['turn/start', 'session/title', 'turn/end'])
  })

  it('of nobody is refused', async () => {
    await expect(seed()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Session } from '../../session/session.ts'
import {
  child,
  continuable,
  id,
  logOf,
  note,
  oneShot,
  openCatalog,
  PARENT,
  say,
  type TestCatalog,
  turn,
} from './fixtures/catalog-fixture.ts'
import { listChildren } from './list-children.ts'
import { listDescendants } from './list-descendants.ts'

/* Listings while others work: the study's §8.1.43, with the real store thread and real live sessions. */

const CHILDREN = 1000
const UNCHECKPOINTED_EVERY = 20
const STREAMING = 50
const own = [continuable('One of many'), ...turn]

let catalog: TestCatalog
let isOver = false
beforeEach(async () => {
  catalog = await openCatalog()
  isOver = false
})
afterEach(() => catalog.close())

/** Cold children of `PARENT`, most of them checkpointed, two at each moment. */
async function makeChildren(): Promise<string[]> {
  const { persistence } = catalog.store
  const headers = Array.from({ length: CHILDREN }, (_, index) =>
    child(`c${String(index).padStart(4, '0')}`, { createdAt: Math.floor(index / 2) }),
  )
  await Promise.all(headers.map(header => persistence.create(header, logOf(own))))
  const checkpointed = headers.filter((_, index) => index % UNCHECKPOINTED_EVERY !== 0)
  await Promise.all(checkpointed.map(header => catalog.checkpoint(header, own)))
  return headers.map(header => header.id)
}

/** Appends to each of `sessions` a hundred times a second, until the test is over. */
async function stream(sessions: readonly Session[]): Promise<number> {
  let appended = 0
  while (!isOver) {
    for (const session of sessions) {
      say(session, note(`${appended}`))
      appended += 1
    }
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  return appended
}

describe('a thousand children', () => {
  it('are listed whole and in order while fifty others append, four log reads at a time (8.1.43)', async () => {
    const cold = await makeChildren()
    const live: Session[] = []
    for (let index = 0; index < STREAMING; index += 1) {
      // Some of them among the children themselves, at the end of the list; the others elsewhere.
      const facts = index < 5 ? { createdAt: CHILDREN } : { parentSession: id('elsewhere') }
      live.push(await catalog.running(`s${String(index).padStart(2, '0')}`, [oneShot('Streams')], facts))
    }
    const expected = [...cold, ...live.slice(0, 5).map(session => session.id)]
    const streaming = stream(live)

    for (let round = 0; round < 3; round += 1) {
      catalog.reads.logs = []
      const list = round === 1 ? listDescendants : listChildren
      const rows = await list(catalog.deps, PARENT, { with: ['facts', 'warnings'] })

      expect(rows.map(row => row.id)).toEqual(expected)
      expect(rows.every(row => row.kind === 'child')).toBe(true)
      expect(rows.filter(row => row.kind === 'child' && row.activity === 'running')).toHaveLength(5)
      expect(catalog.reads.logs).toEqual(cold.filter((_, index) => index % UNCHECKPOINTED_EVERY === 0))
    }

    expect(catalog.reads.atOnce).toBe(4)
    isOver = true
    expect(await streaming).toBeGreaterThan(3 * STREAMING)
  }, 60_000)

  it('cost as many reads as there are logs without a checkpoint, whatever their number (8.1.43)', async () => {
    await makeChildren()
    const few = Array.from({ length: 10 }, (_, index) => `f${index}`)
    for (const name of few) {
      const header = await catalog.cold(name, own, { parentSession: id('small') })
      if (name !== 'f3') await catalog.checkpoint(header, own)
    }

    await listChildren(catalog.deps, id('small'))
    expect(catalog.reads).toMatchObject({ lists: 1, checkpoints: 1, headers: 0, logs: ['f3'] })

    await listChildren(catalog.deps, PARENT)
    expect(catalog.reads).toMatchObject({ lists: 2, checkpoints: 2, headers: 0 })
    expect(catalog.reads.logs).toHaveLength(1 + CHILDREN / UNCHECKPOINTED_EVERY)
  }, 60_000)
})

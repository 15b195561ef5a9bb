import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionHeader } from '#shared/session/header.ts'
import {
  child,
  continuable,
  id,
  logOf,
  malformed,
  note,
  oneShot,
  openCatalog,
  PARENT,
  type TestCatalog,
} from './fixtures/catalog-fixture.ts'
import { countDescendants, listDescendants } from './list-descendants.ts'

/* The whole tree below a session. Numbers are those of the study's §8.2; 10 stands with the other aborts. */

let catalog: TestCatalog
beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

const tree = async (root = PARENT) =>
  (await listDescendants(catalog.deps, root)).map(({ id: rowId, parentId, depth, kind }) => [
    rowId,
    parentId,
    depth,
    kind,
  ])

async function fork(name: string, parent: string, facts: Partial<SessionHeader> = {}): Promise<void> {
  const header = { version: 1 as const, id: id(name), createdAt: 1000, parentSession: id(parent), ...facts }
  await catalog.store.persistence.create(header, logOf([note('forked')]))
}

const below = (parent: string, facts: Partial<SessionHeader> = {}) => ({
  parentSession: id(parent),
  ...facts,
})

describe('descendants', () => {
  it('come in pre-order with parent, depth and whether there are children (8.2.1)', async () => {
    await catalog.cold('b', [continuable('B')], { createdAt: 2000 })
    await catalog.cold('a', [oneShot('A')], { createdAt: 1000 })
    await catalog.cold('a2', [oneShot()], below('a', { createdAt: 9000 }))
    await catalog.running('a1', [oneShot()], below('a', { createdAt: 8000 }))
    await catalog.cold('a1x', [oneShot()], below('a1'))

    expect(await listDescendants(catalog.deps, PARENT)).toMatchObject([
      { id: 'a', parentId: PARENT, depth: 1, hasChildren: true, activity: 'inactive', label: 'A' },
      { id: 'a1', parentId: 'a', depth: 2, hasChildren: true, activity: 'running' },
      { id: 'a1x', parentId: 'a1', depth: 3, hasChildren: false },
      { id: 'a2', parentId: 'a', depth: 2, hasChildren: false },
      { id: 'b', parentId: PARENT, depth: 1, hasChildren: false, mode: 'continuable' },
    ])
  })

  it('are none for a session without any, and for one that nobody knows (8.2.2)', async () => {
    await catalog.cold('a', [oneShot()])
    expect(await tree(id('a'))).toEqual([])
    expect(await tree(id('nobody'))).toEqual([])
  })

  it('of a live child that has not said what it is are walked all the same (8.2.3)', async () => {
    await catalog.running('a', [])
    await catalog.cold('a1', [oneShot()], below('a'))

    expect(await tree()).toEqual([['a1', 'a', 2, 'child']])
  })

  it('end where headers form a cycle, and the root never comes back (8.2.4)', async () => {
    await catalog.cold('a', [oneShot()], below('c'))
    await catalog.cold('b', [oneShot()], below('a'))
    await catalog.cold('c', [oneShot()], below('b'))

    expect(await tree(id('a'))).toEqual([
      ['b', 'a', 1, 'child'],
      ['c', 'b', 2, 'child'],
    ])
    expect(await tree(id('c'))).toEqual([
      ['a', 'c', 1, 'child'],
      ['b', 'a', 2, 'child'],
    ])
  })

  it('of a session that is its own parent are its other children', async () => {
    await catalog.cold('self', [oneShot()], below('self'))
    await catalog.cold('other', [oneShot()], below('self'))
    expect(await tree(id('self'))).toEqual([['other', 'self', 1, 'child']])
  })

  it('end where live headers form a cycle, without a store', async () => {
    await catalog.running('a', [oneShot()], below('b'))
    await catalog.running('b', [oneShot()], below('a'))
    const { sessions, registry } = catalog.deps
    expect(await listDescendants({ sessions, registry }, id('a'))).toMatchObject([{ id: 'b', depth: 1 }])
  })

  it('at the end of a chain of 10,000 ordinary sessions are found at their depth (8.2.5)', async () => {
    const { registry } = catalog.deps
    await catalog.running('leaf', [oneShot('Deep down')], below('s9999'))
    const chain = Array.from({ length: 10_000 }, (_, index) => ({
      header: {
        version: 1 as const,
        id: id(`s${index}`),
        createdAt: index,
        parentSession: index === 0 ? PARENT : id(`s${index - 1}`),
      },
    }))
    const sessions = { list: () => [...chain, ...catalog.live.list()] }

    expect(await listDescendants({ sessions, registry }, PARENT)).toMatchObject([
      { id: 'leaf', parentId: 's9999', depth: 10_001, label: 'Deep down' },
    ])
  })

  it('below forks and one-shots are found; the fork makes no row (8.2.6)', async () => {
    await fork('f', PARENT)
    await catalog.cold('under-fork', [continuable('Under a fork')], below('f'))
    await catalog.cold('one-shot', [oneShot()], { createdAt: 5000 })
    await catalog.cold('under-one-shot', [continuable('Under a one-shot')], below('one-shot'))

    expect(await tree()).toEqual([
      ['under-fork', 'f', 2, 'child'],
      ['one-shot', PARENT, 1, 'child'],
      ['under-one-shot', 'one-shot', 2, 'child'],
    ])
  })

  it('below a settled session without a descriptor stay, it has a place of its own (8.2.7)', async () => {
    await catalog.cold('a', [note('nothing said')])
    await catalog.cold('a1', [oneShot()], below('a'))
    expect(await tree()).toEqual([
      ['a', PARENT, 1, 'diagnostic'],
      ['a1', 'a', 2, 'child'],
    ])
  })

  it('below a corrupt one and below an unreadable one stay (8.2.8)', async () => {
    await catalog.cold('a', [malformed])
    await catalog.cold('a1', [oneShot()], below('a'))
    await catalog.cold('b', [oneShot(), note('x'), note('y')], { createdAt: 2000 })
    await catalog.cold('b1', [oneShot()], below('b'))
    catalog.edit(
      `UPDATE event SET data = '{' WHERE seq = 1 AND session_key = (SELECT key FROM session WHERE id = 'b')`,
    )

    expect(await listDescendants(catalog.deps, PARENT)).toMatchObject([
      { id: 'a', kind: 'diagnostic', reason: 'corrupt' },
      { id: 'a1', kind: 'child' },
      { id: 'b', kind: 'diagnostic', reason: 'unavailable' },
      { id: 'b1', kind: 'child' },
    ])
  })

  it('are witnessed: a record that changed since it was listed is corrupt (8.2.9)', async () => {
    await catalog.cold('a', [oneShot()])
    await catalog.cold('a1', [continuable('Secret')], below('a'))
    const { persistence } = catalog
    const deps = {
      ...catalog.deps,
      persistence: {
        ...persistence,
        inspectFolded: async (...[sessionId, signal]: Parameters<typeof persistence.inspectFolded>) => {
          const inspection = await persistence.inspectFolded(sessionId, signal)
          return sessionId === 'a1' ? { ...inspection, header: child('a1', { createdAt: 77 }) } : inspection
        },
      },
    }

    expect(await listDescendants(deps, PARENT)).toMatchObject([
      { id: 'a', kind: 'child' },
      { id: 'a1', kind: 'diagnostic', reason: 'corrupt', parentId: 'a', depth: 2 },
    ])
  })

  it('cannot be listed without projections (8.2.11)', async () => {
    const deps = { ...catalog.deps, registry: undefined }
    await expect(listDescendants(deps, PARENT)).rejects.toMatchObject({
      code: 'SUBAGENT_CONTROL_PROJECTIONS_UNAVAILABLE',
    })
  })

  it('created at the same moment are ordered by id at every level, live and stored alike (8.2.12)', async () => {
    for (const name of ['b', 'a']) await catalog.cold(name, [oneShot()])
    for (const name of ['y', 'B']) await catalog.cold(name, [oneShot()], below('a'))
    await catalog.running('x', [oneShot()], below('a'))
    for (const name of ['z-10', 'z-2']) await catalog.running(name, [oneShot()], below('x'))
    for (const name of ['z', 'Z', 'early']) {
      await catalog.cold(name, [oneShot()], below('x', name === 'early' ? { createdAt: 999 } : {}))
    }
    expect((await tree()).map(([rowId]) => rowId)).toEqual([
      'a',
      'B',
      ...['x', 'early', 'Z', 'z', 'z-10', 'z-2'],
      'y',
      'b',
    ])
  })

  it('cost one listing, one checkpoint query and one log for each that has none', async () => {
    const header = await catalog.cold('a', [oneShot()])
    await catalog.checkpoint(header, [oneShot()])
    await catalog.cold('a1', [oneShot()], below('a'))
    await catalog.cold('a1x', [oneShot()], below('a1'))
    await fork('f', 'a1')

    await tree()

    expect(catalog.reads).toMatchObject({ lists: 1, checkpoints: 1, headers: 0, atOnce: 2 })
    expect(catalog.reads.logs.toSorted()).toEqual(['a1', 'a1x'])
  })

  it('are counted from their headers alone, as many as there are rows', async () => {
    await catalog.cold('a', [malformed])
    await catalog.cold('a1', [oneShot()], below('a'))
    await fork('f', 'a1')
    await catalog.running('under-fork', [oneShot()], below('f'))
    await catalog.running('unsaid', [], below('a1'))
    await catalog.cold('under-unsaid', [oneShot()], below('unsaid'))

    const count = await countDescendants(catalog.deps, PARENT)

    expect(catalog.reads).toMatchObject({ lists: 1, checkpoints: 0, headers: 0, logs: [] })
    expect(count).toBe((await tree()).length)
    expect(count).toBe(4)
    const aborted = countDescendants(catalog.deps, PARENT, AbortSignal.abort())
    await expect(aborted).rejects.toMatchObject({ code: 'CANCELLED' })
  })
})

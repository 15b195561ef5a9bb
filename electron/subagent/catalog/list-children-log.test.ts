import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WorkbenchError } from '#shared/errors.ts'
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
  type Persistence,
  type TestCatalog,
  turn,
  versionThree,
} from './fixtures/catalog-fixture.ts'
import { listChildren } from './list-children.ts'

/*
 * Identities from logs, and how many are read. Numbers are those of the study's §8.1. On purpose different: 18, the
 * study's unreadable log is a message without its marker; ours is a row that cannot be decoded.
 */

let catalog: TestCatalog
beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

const children = () => listChildren(catalog.deps, PARENT)

function withPersistence(change: Partial<Persistence>) {
  return { ...catalog.deps, persistence: { ...catalog.persistence, ...change } }
}
describe('the log', () => {
  it('is read once for each cold child and never for a live one (8.1.29)', async () => {
    await catalog.running('a', [oneShot()])
    await catalog.cold('b', [oneShot()])
    await catalog.cold('c', [malformed])
    await catalog.running('d', [])

    await children()

    expect(catalog.reads.logs).toEqual(['b', 'c'])
  })

  it.each([
    ['version', { version: 2 }],
    ['id', { id: id('another') }],
    ['createdAt', { createdAt: 77 }],
    ['cwd', { cwd: '/elsewhere' }],
    ['parentSession', { parentSession: id('someone') }],
    ['seedLength', { seedLength: 1 }],
    ['delegationDepth', { delegationDepth: 2 }],
  ])(
    'of a record whose %s changed since it was listed makes that child corrupt (8.1.16)',
    async (_, change) => {
      await catalog.cold('a', [continuable('Secret of a new life')])
      await catalog.cold('b', [oneShot('Healthy')])
      const inspectFolded: Persistence['inspectFolded'] = async (sessionId, signal) => {
        const inspection = await catalog.store.persistence.inspectFolded(sessionId, signal)
        const header = { ...inspection.header, ...(sessionId === 'a' && change) } as SessionHeader
        return { ...inspection, header }
      }

      const rows = await listChildren(withPersistence({ inspectFolded }), PARENT, { with: ['detail'] })

      expect(rows).toMatchObject([
        { kind: 'diagnostic', id: 'a', reason: 'corrupt', detail: { cause: 'header-changed' } },
        { kind: 'child', id: 'b', label: 'Healthy' },
      ])
      expect(JSON.stringify(rows)).not.toContain('Secret')
    },
  )

  it('of another life leaks nothing when it is damaged besides', async () => {
    await catalog.cold('a', [continuable('Secret of a new life'), note('x'), note('y')])
    catalog.edit(`UPDATE event SET data = '{' WHERE seq = 1`)
    const inspectFolded: Persistence['inspectFolded'] = async (sessionId, signal) => {
      const inspection = await catalog.store.persistence.inspectFolded(sessionId, signal)
      return { ...inspection, header: child('a', { createdAt: 77 }) }
    }

    expect(await listChildren(withPersistence({ inspectFolded }), PARENT, { with: ['detail'] })).toEqual([
      { kind: 'diagnostic', id: 'a', reason: 'corrupt', detail: { cause: 'header-changed' } },
    ])
  })

  it('may name another origin or preset than the listed header: those two are no witness (8.1.16)', async () => {
    await catalog.cold('a', [oneShot('Same life')])
    const inspectFolded: Persistence['inspectFolded'] = async (sessionId, signal) => {
      const inspection = await catalog.store.persistence.inspectFolded(sessionId, signal)
      return { ...inspection, header: { ...inspection.header, preset: 'reviewer' } }
    }

    expect(await listChildren(withPersistence({ inspectFolded }), PARENT)).toMatchObject([{ kind: 'child' }])
  })

  it('that cannot be read in its middle makes its child unavailable (8.1.18)', async () => {
    await catalog.cold('a', [oneShot(), note('x'), note('y')])
    await catalog.cold('b', [oneShot()])
    catalog.edit(`UPDATE event SET data = '{' WHERE seq = 1`)

    expect(await children()).toMatchObject([
      { kind: 'diagnostic', id: 'a', reason: 'unavailable' },
      { kind: 'child', id: 'b' },
    ])
  })

  it('with a malformed descriptor makes its child corrupt (8.1.19)', async () => {
    await catalog.cold('a', [malformed])
    expect(await children()).toEqual([{ kind: 'diagnostic', id: 'a', reason: 'corrupt' }])
  })

  it('with a descriptor of another version makes its child corrupt, never unsupported (8.1.20)', async () => {
    await catalog.cold('a', [versionThree])
    expect(await children()).toEqual([{ kind: 'diagnostic', id: 'a', reason: 'corrupt' }])
  })

  it('without a descriptor makes a settled child corrupt', async () => {
    await catalog.cold('a', turn)
    expect(await children()).toEqual([{ kind: 'diagnostic', id: 'a', reason: 'corrupt' }])
  })

  it('of a fork that died before its own descriptor lists it under the inherited identity (8.1.21)', async () => {
    const inherited = [continuable('Ancestor'), ...turn]
    await catalog.cold('a', inherited, { seedLength: inherited.length })

    expect(await children()).toMatchObject([{ kind: 'child', label: 'Ancestor' }])
  })

  it('of a fork whose own descriptor is malformed does not fall back to the inherited identity', async () => {
    const inherited = [continuable('Ancestor'), ...turn]
    await catalog.cold('a', [...inherited, malformed], { seedLength: inherited.length })

    expect(await children()).toEqual([{ kind: 'diagnostic', id: 'a', reason: 'corrupt' }])
  })

  it('that failed once is read again by the next listing: nothing is remembered (8.1.26)', async () => {
    await catalog.cold('a', [oneShot('A')])
    await catalog.cold('b', [oneShot('B')])
    let failing = true
    const inspectFolded: Persistence['inspectFolded'] = async (sessionId, signal) => {
      if (failing && sessionId === 'a') throw new WorkbenchError('STORE_UNAVAILABLE', 'not now')
      return catalog.store.persistence.inspectFolded(sessionId, signal)
    }
    const deps = withPersistence({ inspectFolded })

    expect(await listChildren(deps, PARENT)).toMatchObject([
      { kind: 'diagnostic', id: 'a', reason: 'unavailable' },
      { kind: 'child', id: 'b' },
    ])
    failing = false
    expect(await listChildren(deps, PARENT)).toMatchObject([{ kind: 'child' }, { kind: 'child' }])
  })

  it('failing for every child makes one row each, never a failed listing', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await catalog.cold(name, [oneShot()])
    const inspectFolded = () => Promise.reject(new Error('the disk is gone'))

    const rows = await listChildren(withPersistence({ inspectFolded }), PARENT)

    expect(rows).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map(name => ({ kind: 'diagnostic', id: name, reason: 'unavailable' })),
    )
  })
})

describe('the number of reads', () => {
  it('is at most four logs at a time (8.1.43)', async () => {
    for (let index = 0; index < 12; index += 1) await catalog.cold(`c${index}`, [oneShot()])

    expect(await children()).toHaveLength(12)
    expect(catalog.reads.logs).toHaveLength(12)
    expect(catalog.reads.atOnce).toBe(4)
  })

  it('is one checkpoint query and no log for a thousand checkpointed children (8.1.43)', async () => {
    const own = [continuable('One of many'), ...turn]
    const headers = Array.from({ length: 1000 }, (_, index) => child(`c${index}`, { createdAt: index }))
    await Promise.all(headers.map(header => catalog.store.persistence.create(header, logOf(own))))
    await Promise.all(headers.map(header => catalog.checkpoint(header, own)))

    const rows = await listChildren(catalog.deps, PARENT, { with: ['facts', 'detail'] })

    expect(rows.map(row => row.id)).toEqual(headers.map(header => header.id))
    expect(rows.every(row => row.kind === 'child')).toBe(true)
    expect(catalog.reads).toEqual({ lists: 1, checkpoints: 1, headers: 0, logs: [], atOnce: 0 })
  })

  it('does not grow with sessions that are not candidates', async () => {
    await catalog.cold('a', [oneShot()])
    for (let index = 0; index < 20; index += 1) {
      await catalog.cold(`x${index}`, [oneShot()], { parentSession: id('elsewhere') })
    }

    await children()

    expect(catalog.reads).toMatchObject({ lists: 1, checkpoints: 1, logs: ['a'] })
  })
})

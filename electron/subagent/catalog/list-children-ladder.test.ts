import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WorkbenchError } from '#shared/errors.ts'
import { lifecycleFacts, type SessionHeader } from '#shared/session/header.ts'
import {
  type Checkpoints,
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
 * Where an identity comes from: the registry, a checkpoint, else the log. Numbers are those of the study's §8.1.
 * On purpose different:
 * - 14: a checkpoint is used whatever its label says, unless the store knows by index of a later descriptor: the
 *   study serves the stale one until the next checkpoint.
 * - 18: the study's unreadable log is a message without its marker; ours is a row that cannot be decoded.
 * - 23, 24: a unit that breaks is quarantined by key; the row is corrupt all the same.
 */

let catalog: TestCatalog
afterEach(() => catalog.close())

const children = () => listChildren(catalog.deps, PARENT)

function withPersistence(change: Partial<Persistence>) {
  const { persistence } = catalog.deps
  if (persistence === undefined) throw new Error('the fixture has a store')
  return { ...catalog.deps, persistence: { ...persistence, ...change } }
}
const withCheckpoints = (checkpoints: Checkpoints | undefined) => ({ ...catalog.deps, checkpoints })

describe('a checkpoint', () => {
  beforeEach(async () => {
    catalog = await openCatalog()
  })

  it('of the child’s own identity is used with no log read, also when its label differs (8.1.14)', async () => {
    const header = await catalog.cold('a', [oneShot('In the log')])
    await catalog.checkpoint(header, [oneShot('In the checkpoint')])

    expect(await children()).toMatchObject([{ kind: 'child', label: 'In the checkpoint' }])
    expect(catalog.reads).toMatchObject({ checkpoints: 1, logs: [] })
  })

  it('is passed over when the log holds a later descriptor: better than 8.1.14', async () => {
    const header = await catalog.cold('a', [oneShot('First'), note('x'), continuable('Later')])
    await catalog.checkpoint(header, [oneShot('First')])
    const other = await catalog.cold('b', [oneShot('First'), malformed])
    await catalog.checkpoint(other, [oneShot('First')])

    expect(await children()).toMatchObject([
      { kind: 'child', label: 'Later' },
      { kind: 'diagnostic', reason: 'corrupt' },
    ])
    expect(catalog.reads.logs).toEqual(['a', 'b'])
  })

  it('of an inherited identity is passed over, with one log read (8.1.15)', async () => {
    const inherited = [continuable('Ancestor'), ...turn]
    const header = await catalog.cold('a', [...inherited, continuable('Own')], {
      seedLength: inherited.length,
    })
    await catalog.checkpoint(header, inherited)

    expect(await children()).toMatchObject([{ kind: 'child', label: 'Own' }])
    expect(catalog.reads.logs).toEqual(['a'])
  })

  it('of an inherited identity costs one log read, also when the log has no other (8.1.15)', async () => {
    const inherited = [continuable('Ancestor'), ...turn]
    const header = await catalog.cold('a', [...inherited, note('own')], { seedLength: inherited.length })
    await catalog.checkpoint(header, [...inherited, note('own')])

    expect(await children()).toMatchObject([{ kind: 'child', label: 'Ancestor' }])
    expect(catalog.reads.logs).toEqual(['a'])
  })

  it('is judged by where the descriptor stands, not by how far it reaches', async () => {
    const inherited = [continuable('Ancestor'), ...turn]
    const own = [...inherited, note('still nothing said')]
    const header = await catalog.cold('a', [...own, continuable('Own')], { seedLength: inherited.length })
    await catalog.checkpoint(header, own)

    expect(await children()).toMatchObject([{ label: 'Own' }])
    expect(catalog.reads.logs).toEqual(['a'])
  })

  it('that says null never outranks the log (8.1.17)', async () => {
    const header = await catalog.cold('a', [note('x'), continuable('Said later')])
    await catalog.checkpoint(header, [note('x')])

    expect(await children()).toMatchObject([{ kind: 'child', label: 'Said later' }])
    expect(catalog.reads.logs).toEqual(['a'])
  })

  it('written at disposal spares the log of a settled child (8.1.30)', async () => {
    const session = await catalog.running('a', [continuable('Settled'), ...turn])
    await catalog.live.dispose(session)
    await catalog.policy.settle()

    expect(await children()).toMatchObject([{ activity: 'inactive', label: 'Settled' }])
    expect(catalog.reads).toMatchObject({ checkpoints: 1, logs: [] })
  })

  it('without rows, without that row or of another state version costs one log read each time (8.1.31)', async () => {
    const facts = (header: SessionHeader) => ({
      sessionId: header.id,
      facts: lifecycleFacts(header),
      faults: [],
    })
    const title = { key: 'title', stateVersion: 1, seq: 0, state: { given: null, first: null } }
    const old = { key: 'subagent', stateVersion: 1, seq: 0, state: { identity: null, own: 0, absence: null } }
    const bare = await catalog.cold('a', [oneShot('A')])
    const foreign = await catalog.cold('b', [oneShot('B')])
    const aged = await catalog.cold('c', [oneShot('C')])
    await catalog.store.checkpoints.write([
      { ...facts(bare), rows: [] },
      { ...facts(foreign), rows: [title] },
      { ...facts(aged), rows: [old] },
    ])

    expect(await children()).toMatchObject([{ label: 'A' }, { label: 'B' }, { label: 'C' }])
    expect(await children()).toHaveLength(3)
    expect(catalog.reads.logs.toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'c'])
  })

  it('is not missed: without a checkpoint store each log is read (8.1.32)', async () => {
    const header = await catalog.cold('a', [oneShot('In the log')])
    await catalog.checkpoint(header, [oneShot('In the checkpoint')])

    expect(await listChildren(withCheckpoints(undefined), PARENT)).toMatchObject([{ label: 'In the log' }])
    expect(catalog.reads.logs).toEqual(['a'])
  })

  it('that cannot be read is no verdict: the log is read in silence (8.1.33)', async () => {
    await catalog.cold('a', [oneShot('In the log')])
    const read = () => Promise.reject(new Error('no checkpoints today'))

    expect(await listChildren(withCheckpoints({ read }), PARENT)).toMatchObject([{ label: 'In the log' }])
  })

  it('that holds nonsense never makes a child corrupt', async () => {
    const header = await catalog.cold('a', [oneShot('In the log')])
    await catalog.checkpoint(header, [oneShot('In the checkpoint')])
    catalog.edit(`UPDATE checkpoint_row SET state = '{"identity":"mine"}' WHERE key = 'subagent'`)
    expect(await children()).toMatchObject([{ kind: 'child', label: 'In the log' }])

    catalog.edit(`UPDATE checkpoint_row SET state = '{"ide' WHERE key = 'subagent'`)
    expect(await children()).toMatchObject([{ kind: 'child', label: 'In the log' }])

    catalog.edit(`UPDATE checkpoint SET faults = 'not even a list'`)
    expect(await children()).toMatchObject([{ kind: 'child', label: 'In the log' }])
  })

  it('of another life of the id is ignored', async () => {
    const header = await catalog.cold('a', [oneShot('In the log')])
    await catalog.checkpoint({ ...header, createdAt: 1 }, [oneShot('Of a former life')])

    expect(await children()).toMatchObject([{ label: 'In the log' }])
  })

  it('that reaches past the end of the log is ignored', async () => {
    const header = await catalog.cold('a', [oneShot('In the log')])
    await catalog.checkpoint(header, [oneShot('Of the lost tail'), note('x'), note('y')])

    expect(await children()).toMatchObject([{ label: 'In the log' }])
  })
})

describe('the log', () => {
  beforeEach(async () => {
    catalog = await openCatalog()
  })

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
  beforeEach(async () => {
    catalog = await openCatalog()
  })

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

describe('a unit that breaks', () => {
  beforeEach(async () => {
    catalog = await openCatalog({ hostile: true })
  })

  it.each([
    ['when it is looked at', 'x/poison', 'lazy'],
    ['when it folds, without a view', 'x/bomb', 'eager'],
  ])('%s makes only that cold child corrupt (8.1.23)', async (_, type, unit) => {
    await catalog.cold('a', [oneShot(), [type, null]])
    await catalog.cold('b', [oneShot('Healthy')])

    expect(await listChildren(catalog.deps, PARENT, { with: ['detail'] })).toMatchObject([
      { kind: 'diagnostic', id: 'a', reason: 'corrupt', detail: { cause: 'unit-fault', unit } },
      { kind: 'child', id: 'b', label: 'Healthy' },
    ])
  })

  it.each([
    ['when it is looked at', 'x/poison', 'lazy'],
    ['when it folds, without a view', 'x/bomb', 'eager'],
  ])('%s makes a running child corrupt, not absent (8.1.24)', async (_, type, unit) => {
    await catalog.running('a', [oneShot(), [type, null]])
    await catalog.running('nameless', [[type, null]])
    await catalog.running('b', [oneShot('Healthy')])

    expect(await listChildren(catalog.deps, PARENT, { with: ['detail'] })).toMatchObject([
      { kind: 'diagnostic', id: 'a', reason: 'corrupt', detail: { cause: 'unit-fault', unit } },
      { kind: 'child', id: 'b', activity: 'running', label: 'Healthy' },
      { kind: 'diagnostic', id: 'nameless', reason: 'corrupt', detail: { cause: 'unit-fault', unit } },
    ])
  })

  it.each(['x/poison', 'x/bomb'])('on %s is found through a checkpoint as well', async type => {
    const session = await catalog.running('a', [oneShot(), ...turn, [type, null]])
    await catalog.live.dispose(session)
    await catalog.policy.settle()

    expect(await children()).toEqual([{ kind: 'diagnostic', id: 'a', reason: 'corrupt' }])
    expect(catalog.reads).toMatchObject({ checkpoints: 1, logs: ['a'] })
  })
})

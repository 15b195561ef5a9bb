import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lifecycleFacts, type SessionHeader } from '#shared/session/header.ts'
import {
  type Checkpoints,
  continuable,
  malformed,
  note,
  oneShot,
  openCatalog,
  PARENT,
  type TestCatalog,
  turn,
} from './fixtures/catalog-fixture.ts'
import { listChildren } from './list-children.ts'

/*
 * Identities from checkpoints. Numbers are those of the study's §8.1. On purpose different: 14, a checkpoint is used
 * whatever its label says, unless the store knows by index of a later descriptor: the study serves the stale one
 * until the next checkpoint.
 */

let catalog: TestCatalog
beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

const children = () => listChildren(catalog.deps, PARENT)

const withCheckpoints = (checkpoints: Checkpoints | undefined) => ({ ...catalog.deps, checkpoints })

describe('a checkpoint', () => {
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

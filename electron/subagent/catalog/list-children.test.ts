import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SubagentError } from '#shared/errors.ts'
import { createScriptedModel } from '../../model/scripted-model.ts'
import { openTestWorkbench } from '../../workbench-fixture.ts'
import {
  continuable,
  id,
  malformed,
  note,
  oneShot,
  openCatalog,
  PARENT,
  say,
  type TestCatalog,
  turn,
} from './fixtures/catalog-fixture.ts'
import { listChildren } from './list-children.ts'

/*
 * Who is in a listing, in what order and with which row. Numbers are those of the study's §8.1; the ladder of
 * identities, cancelling and the extras have files of their own. On purpose different: a hostile listing is
 * asked for one parent, not for the whole corpus, so `hasChildren` comes from the store's index (28, 34, 35).
 */

let catalog: TestCatalog
beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

const children = (parent = PARENT) => listChildren(catalog.deps, parent)
const ids = async (parent = PARENT) => (await children(parent)).map(row => row.id)

describe('what a listing needs', () => {
  it('needs sessions and projections only: a live child is listed without a store (8.1.1)', async () => {
    await catalog.running('a', [oneShot('Look around')])
    const { sessions, registry } = catalog.deps

    expect(await listChildren({ sessions, registry }, PARENT)).toEqual([
      {
        kind: 'child',
        id: 'a',
        activity: 'running',
        hasChildren: false,
        mode: 'one-shot',
        label: 'Look around',
      },
    ])
  })

  it('says that projections are missing, first and also without children (8.1.2, 8.1.42)', async () => {
    const deps = { ...catalog.deps, registry: undefined, sessions: undefined }

    const listing = listChildren(deps, PARENT, { signal: AbortSignal.abort() })

    await expect(listing).rejects.toBeInstanceOf(SubagentError)
    await expect(listing).rejects.toMatchObject({ code: 'SUBAGENT_CONTROL_PROJECTIONS_UNAVAILABLE' })
    expect(catalog.reads.lists).toBe(0)
  })

  it('says that the session store is missing, before it looks at the signal (8.1.3)', async () => {
    const deps = { ...catalog.deps, sessions: undefined }

    await expect(listChildren(deps, PARENT, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'SUBAGENT_CONTROL_SESSION_STORE_UNAVAILABLE',
    })
  })

  it('lists nothing for a parent without children and for one that nobody knows (8.1.41)', async () => {
    expect(await children()).toEqual([])
    expect(await children(id('nobody'))).toEqual([])
  })

  it('fails with the store’s own error when the listing of headers fails (8.1.25)', async () => {
    await catalog.running('a', [oneShot()])
    const broken = new Error('the disk is gone')
    const list = () => Promise.reject(broken)
    const deps = { ...catalog.deps, persistence: { ...catalog.persistence, list } }

    await expect(listChildren(deps, PARENT)).rejects.toBe(broken)
  })
})

describe('who is listed', () => {
  it('lists a settled continuable child of the real start path as inactive, with its label (8.1.4)', async () => {
    const model = createScriptedModel(({ system, prompt }) => {
      if (system.includes('You are a delegated agent.')) return 'No faults.'
      if (prompt.some(message => message.role === 'tool')) return 'Started.'
      const input = { description: 'Audit the parser', prompt: 'Audit it.', mode: 'continuable' }
      return { calls: [{ name: 'delegate', input }] }
    })
    const bench = await openTestWorkbench({ model })
    try {
      const root = await bench.root()
      await bench.prompt(root, 'Go')
      await bench.until(() => bench.workbench.live.list().length === 1)

      expect(await listChildren(bench.workbench.catalog, root)).toEqual([
        {
          kind: 'child',
          id: expect.any(String),
          activity: 'inactive',
          hasChildren: false,
          mode: 'continuable',
          label: 'Audit the parser',
        },
      ])
    } finally {
      await bench.dispose()
    }
  })

  it('lists an unlabelled one-shot without a label key beside a continuable one (8.1.5, 8.1.9)', async () => {
    await catalog.cold('a', [oneShot()])
    await catalog.cold('b', [continuable('Keep the notes')])
    await catalog.cold('c', [oneShot('Count the files')])

    expect(await children()).toEqual([
      { kind: 'child', id: 'a', activity: 'inactive', hasChildren: false, mode: 'one-shot' },
      {
        kind: 'child',
        id: 'b',
        activity: 'inactive',
        hasChildren: false,
        mode: 'continuable',
        label: 'Keep the notes',
      },
      {
        kind: 'child',
        id: 'c',
        activity: 'inactive',
        hasChildren: false,
        mode: 'one-shot',
        label: 'Count the files',
      },
    ])
    expect(Object.keys((await children())[0] ?? {})).not.toContain('label')
  })

  it('lists the children of a parent that is only stored (8.1.6)', async () => {
    await catalog.cold('cold-parent', turn, { id: id('cold-parent') })
    await catalog.cold('a', [oneShot()], { parentSession: id('cold-parent') })

    expect(await ids(id('cold-parent'))).toEqual(['a'])
  })

  it('orders by creation, then by id by code unit, whoever came alive first, without forks (8.1.7)', async () => {
    await catalog.running('late', [oneShot()], { createdAt: 3000 })
    await catalog.running('b', [oneShot()], { createdAt: 2000 })
    await catalog.cold('a', [oneShot()], { createdAt: 2000 })
    await catalog.cold('B', [oneShot()], { createdAt: 2000 })
    await catalog.running('a-10', [oneShot()], { createdAt: 2000 })
    await catalog.cold('early', [oneShot()], { createdAt: 1000 })
    const { version, createdAt } = await catalog.cold('other', [oneShot()], {
      parentSession: id('elsewhere'),
    })
    const fork = { version, createdAt, id: id('fork'), parentSession: PARENT }
    await catalog.store.persistence.create(fork, [{ seq: 0, time: 1, type: 'x', data: null }])

    expect(await ids()).toEqual(['early', 'B', 'a', 'a-10', 'b', 'late'])
  })

  it('leaves out a live child that has not said yet what it is (8.1.8)', async () => {
    const session = await catalog.running('a', [note('hello')])

    expect(await children()).toEqual([])

    say(session, oneShot('Now it has'))
    expect(await ids()).toEqual(['a'])
  })

  it('lists a running child and a settled sibling together, each whole (8.1.10)', async () => {
    await catalog.running('a', [continuable('Runs')])
    await catalog.cold('b', [continuable('Rests')])

    expect(await children()).toMatchObject([
      { id: 'a', activity: 'running', label: 'Runs' },
      { id: 'b', activity: 'inactive', label: 'Rests' },
    ])
  })

  it('takes the live record whole where a stored one of the same id differs', async () => {
    const session = await catalog.running('a', [oneShot('Live')])
    catalog.edit(`UPDATE session SET created_at = 1, cwd = '/elsewhere' WHERE id = 'a'`)
    await catalog.cold('b', [oneShot('Between')], { createdAt: 500 })

    expect(await ids()).toEqual(['b', session.id])
  })

  it('names a child of a provider that is not installed (8.1.22)', async () => {
    await catalog.cold('a', [continuable('From elsewhere', 'never-heard-of')])

    expect(await children()).toMatchObject([{ kind: 'child', label: 'From elsewhere' }])
  })

  it('lists compacted and uncompacted twins alike (8.1.27)', async () => {
    const own = [continuable('Twin'), ...turn]
    await catalog.cold('plain', own)
    await catalog.cold('short', [
      ...own,
      ['compaction/start', { reason: 'window' }],
      ['compaction/summary', { fromSeq: 0, toSeq: 3, summary: 'All of it.' }],
      ['compaction/end', {}],
    ])

    const [plain, short] = await children()

    expect({ ...short, id: 'plain' }).toEqual(plain)
    expect(plain).toMatchObject({ kind: 'child', label: 'Twin' })
  })

  it('reads two descriptors as the last one, beside siblings of one (8.1.11)', async () => {
    await catalog.cold('a', [oneShot('First'), continuable('Last')])
    await catalog.cold('b', [oneShot('Only')])

    expect(await children()).toMatchObject([
      { kind: 'child', mode: 'continuable', label: 'Last' },
      { kind: 'child', mode: 'one-shot', label: 'Only' },
    ])
  })

  it('leaves out a live child whose later descriptor is malformed, and keeps its key in JSON (8.1.12)', async () => {
    const session = await catalog.running('a', [note('hello'), continuable('Once well')])
    expect(catalog.registry.valueOf(session.id, 'subagent')).toEqual({
      mode: 'continuable',
      label: 'Once well',
      seq: 1,
    })

    say(session, malformed)

    expect(JSON.parse(JSON.stringify(catalog.registry.snapshot(session.id)))).toMatchObject({
      values: { subagent: null },
    })
    expect(await children()).toEqual([])
  })

  it('calls the same log corrupt once it is cold (8.1.13)', async () => {
    const session = await catalog.running('a', [note('hello'), continuable('Once well'), malformed])

    await catalog.live.dispose(session)

    expect(await children()).toEqual([{ kind: 'diagnostic', id: 'a', reason: 'corrupt' }])
  })
})

describe('what is below a child', () => {
  it('sees a grandchild by its header and never reads its log (8.1.28)', async () => {
    await catalog.cold('a', [oneShot()])
    await catalog.cold('below', [oneShot()], { parentSession: id('a') })

    expect(await children()).toMatchObject([{ id: 'a', hasChildren: true }])
    expect(catalog.reads.logs).toEqual(['a'])
  })

  it('sees a live grandchild whose header alone says so', async () => {
    await catalog.cold('a', [oneShot()])
    await catalog.running('below', [], { parentSession: id('a') })

    expect(await children()).toMatchObject([{ id: 'a', hasChildren: true }])
  })

  it('does not count an ordinary fork of a child, live or stored (8.1.34)', async () => {
    await catalog.cold('a', [oneShot()])
    const fork = { version: 1 as const, createdAt: 1, parentSession: id('a') }
    const event = { seq: 0, time: 1, type: 'x', data: null }
    await catalog.store.persistence.create({ ...fork, id: id('stored-fork') }, [event])
    await catalog.live.create({ ...fork, id: id('live-fork') }, [])

    expect(await children()).toMatchObject([{ id: 'a', hasChildren: false }])
  })

  it('counts a corrupt grandchild, which its own parent’s listing names (8.1.35)', async () => {
    await catalog.cold('a', [oneShot()])
    await catalog.cold('below', [malformed], { parentSession: id('a') })

    expect(await children()).toMatchObject([{ id: 'a', hasChildren: true }])
    expect(await children(id('a'))).toEqual([{ kind: 'diagnostic', id: 'below', reason: 'corrupt' }])
  })
})

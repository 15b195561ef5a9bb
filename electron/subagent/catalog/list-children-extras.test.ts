import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WorkbenchError } from '#shared/errors.ts'
import type { Outcome } from '#shared/session/outcome.ts'
import { type ListExtra, subagentListEntrySchema } from '#shared/subagent/catalog-entry.ts'
import { factsOf } from '#shared/subagent/facts.ts'
import type { CatalogDeps } from './catalog-deps.ts'
import {
  child,
  continuable,
  id,
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
import { listDescendants } from './list-descendants.ts'

/* What a listing says beyond the plain rows, and only when asked: each weakness that the plain rows accept is seen. */

let catalog: TestCatalog
beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

const all: readonly ListExtra[] = ['facts', 'warnings', 'detail']

async function only(extras: readonly ListExtra[], deps: CatalogDeps = catalog.deps) {
  const [row, ...others] = await listChildren(deps, PARENT, { with: extras })
  expect(others).toEqual([])
  expect(row).toEqual(subagentListEntrySchema.parse(row))
  return row
}

async function warnings(deps?: CatalogDeps) {
  const row = await only(['warnings'], deps)
  return row?.kind === 'child' ? (row.warnings ?? []) : 'no child'
}

async function detail(deps?: CatalogDeps) {
  const row = await only(['detail'], deps)
  return row?.kind === 'diagnostic' ? { ...row } : 'no diagnostic'
}

function failingWith(error: unknown): CatalogDeps {
  const { persistence } = catalog.deps
  if (persistence === undefined) throw new Error('the fixture has a store')
  const inspectFolded: Persistence['inspectFolded'] = () => Promise.reject(error)
  return { ...catalog.deps, persistence: { ...persistence, inspectFolded } }
}

describe('plain rows', () => {
  it('are the same with extras as without, key by key', async () => {
    const inherited = [continuable('Ancestor'), ...turn]
    await catalog.cold('a', [...inherited], { seedLength: inherited.length, cwd: '/gone' })
    await catalog.cold('b', [oneShot('One'), oneShot('Two')])
    await catalog.cold('c', [malformed])
    await catalog.running('d', [oneShot(), ...turn])
    await catalog.cold('e', [oneShot(), note('x'), note('y')])
    catalog.edit(`DELETE FROM event WHERE seq = 1 AND session_key = (SELECT key FROM session WHERE id = 'e')`)
    const deps = { ...catalog.deps, isFolderMissing: async () => true }

    const plain = await listChildren(deps, PARENT)
    const full = await listChildren(deps, PARENT, { with: all })

    expect(plain).toEqual([
      {
        kind: 'child',
        id: 'a',
        activity: 'inactive',
        hasChildren: false,
        mode: 'continuable',
        label: 'Ancestor',
      },
      { kind: 'child', id: 'b', activity: 'inactive', hasChildren: false, mode: 'one-shot', label: 'Two' },
      { kind: 'diagnostic', id: 'c', reason: 'corrupt' },
      { kind: 'child', id: 'd', activity: 'running', hasChildren: false, mode: 'one-shot' },
      { kind: 'diagnostic', id: 'e', reason: 'unavailable' },
    ])
    expect(full.map((row, index) => ({ ...row, ...plain[index] }))).toEqual(full)
    expect(full.map(row => row.id)).toEqual(plain.map(row => row.id))
  })

  it('cost the same log reads with extras as without', async () => {
    const header = await catalog.cold('a', [oneShot()])
    await catalog.checkpoint(header, [oneShot()])
    await catalog.cold('b', [oneShot()])

    await listChildren(catalog.deps, PARENT)
    expect(catalog.reads.logs).toEqual(['b'])
    await listChildren(catalog.deps, PARENT, { with: all })
    expect(catalog.reads).toMatchObject({ lists: 2, checkpoints: 2, logs: ['b', 'b'] })
  })
})

describe('warnings', () => {
  it('are left out where there are none', async () => {
    await catalog.cold('a', [oneShot(), ...turn])
    expect(await only(['warnings'])).not.toHaveProperty('warnings')
  })

  it('tell several own descriptors, cold, by checkpoint and live', async () => {
    const own = [oneShot('First'), oneShot('Second')]
    const header = await catalog.cold('a', own)
    expect(await warnings()).toEqual(['several-descriptors'])

    await catalog.checkpoint(header, own)
    catalog.reads.logs = []
    expect(await warnings()).toEqual(['several-descriptors'])
    expect(catalog.reads.logs).toEqual([])

    const session = catalog.live.adopt(await catalog.store.persistence.load(header.id))
    expect(await warnings()).toEqual(['several-descriptors'])
    await catalog.live.dispose(session)
  })

  it('do not count an inherited descriptor as a second one', async () => {
    const inherited = [continuable('Ancestor'), ...turn]
    await catalog.cold('a', [...inherited, oneShot('Own')], { seedLength: inherited.length })
    expect(await warnings()).toEqual([])
  })

  it('tell an identity that comes from the seed', async () => {
    const inherited = [continuable('Ancestor'), ...turn]
    await catalog.cold('a', inherited, { seedLength: inherited.length })
    expect(await warnings()).toEqual(['identity-from-seed'])
  })

  it('tell a torn tail, whose prefix gives the row', async () => {
    await catalog.cold('a', [oneShot('Prefix'), note('x'), note('lost')])
    catalog.edit('DELETE FROM event WHERE seq = 2')
    expect(await warnings()).toEqual(['damaged-tail'])
  })

  it('tell a live and a stored header that differ: the live one makes the row', async () => {
    await catalog.running('a', [oneShot('Live')])
    catalog.edit(`UPDATE session SET delegation_depth = 7`)
    expect(await warnings()).toEqual(['header-conflict'])
  })

  it('tell parents that lead back to the child itself, through forks as well', async () => {
    const fork = { version: 1 as const, id: id('fork'), createdAt: 1, parentSession: id('a') }
    const event = { seq: 0, time: 1, type: 'x', data: null }
    await catalog.store.persistence.create({ ...fork, id: PARENT, parentSession: id('fork') }, [event])
    await catalog.store.persistence.create(fork, [event])
    await catalog.cold('a', [oneShot()])
    await catalog.cold('b', [oneShot()])

    const rows = await listChildren(catalog.deps, PARENT, { with: ['warnings'] })

    expect(rows).toMatchObject([
      { id: 'a', warnings: ['lineage-cycle'] },
      { id: 'b' }, // its parent is on the cycle, it is not
    ])
    expect(rows[1]).not.toHaveProperty('warnings')
    expect(catalog.reads).toMatchObject({ headers: 3, logs: ['a', 'b'] })
  })

  it('tell a session that is its own parent', async () => {
    await catalog.cold('self', [oneShot()], { parentSession: id('self') })
    expect(await listChildren(catalog.deps, id('self'), { with: ['warnings'] })).toMatchObject([
      { id: 'self', warnings: ['lineage-cycle'] },
    ])
  })

  it('tell a cycle in a tree on the rows that close it, and on no other', async () => {
    await catalog.cold('top', [oneShot()], { parentSession: id('bottom') })
    await catalog.cold('middle', [oneShot()], { parentSession: id('top') })
    await catalog.cold('bottom', [oneShot()], { parentSession: id('middle') })
    await catalog.cold('aside', [oneShot()], { parentSession: id('middle'), createdAt: 2000 })

    const rows = await listDescendants(catalog.deps, id('top'), { with: ['warnings'] })

    expect(rows.map(row => [row.id, 'warnings' in row ? row.warnings : undefined])).toEqual([
      ['middle', ['lineage-cycle']],
      ['bottom', ['lineage-cycle']],
      ['aside', undefined],
    ])
  })

  it('say nothing of a parent whose header cannot be read', async () => {
    await catalog.store.persistence.create({ version: 1, id: PARENT, createdAt: 1 }, [
      { seq: 0, time: 1, type: 'x', data: null },
    ])
    await catalog.cold('a', [oneShot()])
    catalog.edit(`UPDATE session SET created_at = 'never' WHERE id = 'parent'`)

    expect(await warnings()).toEqual([])
  })

  it('tell a folder that is gone, asking once for each folder and only when asked to warn', async () => {
    for (const name of ['a', 'b', 'c']) await catalog.cold(name, [oneShot()], { cwd: '/gone' })
    await catalog.cold('d', [oneShot()], { cwd: '/here' })
    await catalog.cold('e', [oneShot()])
    const asked: string[] = []
    const isFolderMissing = async (path: string) => {
      asked.push(path)
      return path === '/gone'
    }
    const deps = { ...catalog.deps, isFolderMissing }

    await listChildren(deps, PARENT, { with: ['facts', 'detail'] })
    expect(asked).toEqual([])

    const rows = await listChildren(deps, PARENT, { with: ['warnings'] })
    expect(rows.map(row => ('warnings' in row ? row.warnings : undefined))).toEqual([
      ['folder-missing'],
      ['folder-missing'],
      ['folder-missing'],
      undefined,
      undefined,
    ])
    expect(asked.toSorted()).toEqual(['/gone', '/here'])
  })

  it('say nothing of a folder that cannot be asked about, or that never answers', async () => {
    await catalog.cold('a', [oneShot()], { cwd: '/far/away' })

    const fails = async () => {
      throw new Error('not reachable')
    }
    expect(await warnings({ ...catalog.deps, isFolderMissing: fails })).toEqual([])

    const hangs = () => new Promise<boolean>(() => {})
    const started = performance.now()
    expect(await warnings({ ...catalog.deps, isFolderMissing: hangs })).toEqual([])
    expect(performance.now() - started).toBeGreaterThan(900)
  })
})

describe('the detail of a diagnostic', () => {
  it.each([
    ['descriptor-missing', note('Nothing said')],
    ['descriptor-malformed', malformed],
    ['descriptor-version', versionThree],
  ])('says %s, with the title where there is one', async (cause, said) => {
    await catalog.cold('a', [said, ['session/title', { title: 'Readable', source: 'person' }]])
    expect(await detail()).toEqual({
      kind: 'diagnostic',
      id: 'a',
      reason: 'corrupt',
      detail: { cause },
      title: 'Readable',
    })
  })

  it('says log-gap for rows missing in the middle, naming what could be read before them', async () => {
    await catalog.cold('a', [continuable('Before the gap'), note('x'), note('y')])
    catalog.edit('DELETE FROM event WHERE seq = 1')
    expect(await detail()).toEqual({
      kind: 'diagnostic',
      id: 'a',
      reason: 'unavailable',
      detail: { cause: 'log-gap' },
      label: 'Before the gap',
    })
  })

  it('says log-undecodable for a row that holds no event', async () => {
    await catalog.cold('a', [continuable('Before it'), note('x'), note('y')])
    catalog.edit(`UPDATE event SET data = 'x' WHERE seq = 1`)
    expect(await detail()).toMatchObject({
      reason: 'unavailable',
      detail: { cause: 'log-undecodable' },
      label: 'Before it',
    })
  })

  it('says read-failed with the code, or the words of an error that has none', async () => {
    await catalog.cold('a', [oneShot()])
    expect(await detail(failingWith(new WorkbenchError('STORE_UNAVAILABLE', 'gone')))).toEqual({
      kind: 'diagnostic',
      id: 'a',
      reason: 'unavailable',
      detail: { cause: 'read-failed', code: 'STORE_UNAVAILABLE' },
    })
    expect(await detail(failingWith(new Error('x'.repeat(5000))))).toMatchObject({
      detail: { cause: 'read-failed', code: 'x'.repeat(200) },
    })
  })

  it('says nothing of a child that is well', async () => {
    await catalog.cold('a', [oneShot()])
    expect(await only(['detail'])).not.toHaveProperty('detail')
  })
})

describe('facts', () => {
  const done = [oneShot('Counted'), ...turn]
  const answer = {
    id: 'm',
    turn: 1,
    step: 1,
    content: [{ type: 'text', text: 'Done.' }],
    usage: { input: 70, output: 7, costUsd: 0.25 },
    model: { provider: 'p', model: 'fast' },
  }
  const billed = [oneShot('Counted'), turn[0], ['assistant/message', answer], turn[2]] as const

  it('are what a current checkpoint holds, with no log read', async () => {
    const own = billed.filter(item => item !== undefined)
    const header = await catalog.cold('a', own, { preset: 'reviewer' })
    await catalog.checkpoint(header, own)

    expect(await only(['facts'])).toMatchObject({
      facts: {
        outcome: { kind: 'completed' },
        timing: { settledMs: 2, runningSince: null },
        tokens: 77,
        costUsd: 0.25,
        model: 'fast',
        lastActivity: 2002,
        openApprovals: 0,
        preset: 'reviewer',
      },
    })
    expect(catalog.reads.logs).toEqual([])
  })

  it('are the same from the log', async () => {
    const header = await catalog.cold('a', done)
    const fromLog = await only(['facts'])
    await catalog.checkpoint(header, done)
    expect(await only(['facts'])).toEqual(fromLog)
  })

  it('that a checkpoint does not hold are left out', async () => {
    const header = await catalog.cold('a', done)
    await catalog.checkpoint(header, done)
    catalog.edit(`DELETE FROM checkpoint_row WHERE key <> 'subagent'`)

    expect(await only(['facts'])).toMatchObject({ facts: {} })
  })

  it('say interrupted for an open turn that nobody hosts, on every rung, and running while one does', async () => {
    const open = [oneShot('Cut off'), ['turn/start', { turn: 1 }], note('x')] as const
    const session = await catalog.running('a', open)
    expect(await only(['facts'])).toMatchObject({ facts: { outcome: { kind: 'running' } } })

    await catalog.live.dispose(session)
    await catalog.policy.settle()
    catalog.reads.logs = []
    expect(await only(['facts'])).toMatchObject({
      facts: { outcome: { kind: 'interrupted' }, timing: { runningSince: null } },
    })
    expect(catalog.reads.logs).toEqual([])

    catalog.edit('DELETE FROM checkpoint_row', 'DELETE FROM checkpoint')
    expect(await only(['facts'])).toMatchObject({ facts: { outcome: { kind: 'interrupted' } } })
  })

  it('read from any backend say what looks alive as over', () => {
    const facts = (outcome: Outcome, activity: 'running' | 'inactive') =>
      factsOf(child('a'), { outcome }, activity).outcome
    expect(facts({ kind: 'running' }, 'inactive')).toEqual({ kind: 'interrupted' })
    expect(facts({ kind: 'waiting', on: 'children' }, 'inactive')).toEqual({ kind: 'interrupted' })
    expect(facts({ kind: 'waiting', on: 'approval' }, 'inactive')).toEqual({
      kind: 'waiting',
      on: 'approval',
    })
    expect(facts({ kind: 'running' }, 'running')).toEqual({ kind: 'running' })
  })

  it('keep a question that waits for a person, cold as well', async () => {
    const asked = {
      turn: 1,
      step: 1,
      callId: 'c',
      approvalId: 'q',
      name: 'shell',
      toolClass: 'shell',
      input: {},
      pattern: 'shell: ls',
    }
    const call = { type: 'tool-call', callId: 'c', name: 'shell', input: {} }
    await catalog.cold('a', [
      oneShot('Asks'),
      ['turn/start', { turn: 1 }],
      ['assistant/message', { ...answer, content: [call] }],
      ['approval/asked', asked],
    ])

    expect(await only(['facts'])).toMatchObject({
      facts: { outcome: { kind: 'waiting', on: 'approval' }, openApprovals: 1 },
    })
  })
})

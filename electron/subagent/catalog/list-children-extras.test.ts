import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ListExtra, subagentListEntrySchema } from '#shared/subagent/catalog-entry.ts'
import type { CatalogDeps } from './catalog-deps.ts'
import {
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
  const { persistence } = catalog
  const inspectFolded: Persistence['inspectFolded'] = () => Promise.reject(error)
  return { ...catalog.deps, persistence: { ...persistence, inspectFolded } }
}

describe('plain rows', () => {
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

  it('tell a torn tail, whose prefix gives the row', async () => {
    await catalog.cold('a', [oneShot('Prefix'), note('x'), note('lost')])
    catalog.edit('DELETE FROM event WHERE seq = 2')
    expect(await warnings()).toEqual(['damaged-tail'])
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

  it('says read-failed with the words of an error that has no code, a few of them', async () => {
    await catalog.cold('a', [oneShot()])
    expect(await detail(failingWith(new Error('x'.repeat(5000))))).toMatchObject({
      detail: { cause: 'read-failed', code: 'x'.repeat(200) },
    })
  })

  it('says nothing of a child that is well', async () => {
    await catalog.cold('a', [oneShot()])
    expect(await only(['detail'])).not.toHaveProperty('detail')
  })
})

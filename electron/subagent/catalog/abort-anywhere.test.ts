import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CatalogDeps } from './catalog-deps.ts'
import { id, oneShot, openCatalog, PARENT, type TestCatalog } from './fixtures/catalog-fixture.ts'
import { listChildren } from './list-children.ts'
import { listDescendants } from './list-descendants.ts'
import { withSharedReads } from './share-reads.ts'

/*
 * Contracts §6.6, the study's §8.2.12: an abort at any moment of a listing ends it as `CANCELLED`. Moments are
 * counted, not waited for: the store's answers are prepared, so every await lasts a known number of microtasks.
 */

const extras = { with: ['facts', 'warnings', 'detail'] as const }

let catalog: TestCatalog
beforeEach(async () => {
  catalog = await openCatalog()
  const header = await catalog.cold('a', [oneShot('A')], { cwd: '/here' })
  await catalog.checkpoint(header, [oneShot('A')])
  await catalog.cold('b', [oneShot('B')], { cwd: '/there' })
  await catalog.running('c', [oneShot('C')])
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5'])
    await catalog.cold(name, [oneShot()], { parentSession: id('a') })
  await catalog.cold('b1', [oneShot()], { parentSession: id('b') })
})
afterEach(() => catalog.close())

/** Answers everything that a first listing asked for from memory, and counts what is asked for. */
async function prepared(list: typeof listChildren | typeof listDescendants) {
  const { persistence, checkpoints } = catalog.store
  const logs = new Map<string, Awaited<ReturnType<typeof persistence.inspectFolded>>>()
  for (const name of ['a', 'b', 'a1', 'a2', 'a3', 'a4', 'a5', 'b1'])
    logs.set(name, await persistence.inspectFolded(id(name)))
  const listings = {
    children: await persistence.list({ kind: 'children', parent: PARENT }),
    tree: await persistence.list({ kind: 'tree', root: PARENT }),
  }
  const known = await checkpoints.read([id('a')], ['subagent', 'facts'])
  let asked = 0
  const answer = async <T>(value: T): Promise<T> => {
    asked += 1
    return value
  }
  const deps: CatalogDeps = {
    ...catalog.deps,
    persistence: withSharedReads({
      list: ({ kind }) => answer(kind === 'tree' ? listings.tree : listings.children),
      get: () => answer(null),
      inspectFolded: sessionId => {
        const log = logs.get(sessionId)
        return log === undefined ? Promise.reject(new Error('not prepared')) : answer(log)
      },
    }),
    checkpoints: { read: () => answer(known) },
    isFolderMissing: () => answer(false),
  }
  return {
    asked: () => asked,
    list: (signal: AbortSignal) => list(deps, PARENT, { ...extras, signal }),
  }
}

describe.each([
  ['children', listChildren],
  ['descendants', listDescendants],
])('a listing of %s', (_, list) => {
  it('that is aborted at any moment is cancelled and asks for nothing more (8.1.36–40, 8.2.12)', async () => {
    const { list: start, asked } = await prepared(list)
    const whole = await start(new AbortController().signal)
    const outcomes: string[] = []

    for (let moment = 0; outcomes.filter(outcome => outcome === 'whole').length < 3; moment += 1) {
      const aborting = new AbortController()
      const listing = start(aborting.signal).then(
        rows => {
          expect(rows).toEqual(whole)
          return 'whole'
        },
        error => String(error.code),
      )
      for (let microtask = 0; microtask < moment; microtask += 1) await null
      aborting.abort()
      const before = asked()
      outcomes.push(await listing)
      expect(asked()).toBe(before)
      expect(moment).toBeLessThan(1000)
    }

    const end = outcomes.indexOf('whole')
    expect(new Set(outcomes.slice(0, end))).toEqual(new Set(['CANCELLED']))
    expect(end).toBeGreaterThan(20)
    expect(catalog.problems).toEqual([])
  })

  it('that takes many turns of the main loop is cancelled in each of them', async () => {
    const [one] = (await catalog.store.persistence.list({ kind: 'children', parent: PARENT })).sessions
    if (one === undefined) throw new Error('the fixture has children')
    const sessions = Array.from({ length: 20_000 }, (_, index) => ({
      ...one,
      header: { ...one.header, id: id(`n${index}`) },
    }))
    const deps: CatalogDeps = {
      ...catalog.deps,
      persistence: {
        list: async () => ({ sessions, unreadable: [] }),
        get: async () => null,
        inspectFolded: () => Promise.reject(new Error('no log is read here')),
      },
    }
    const outcomes: string[] = []

    for (let turns = 0; turns < 3; turns += 1) {
      const aborting = new AbortController()
      const listing = list(deps, PARENT, { signal: aborting.signal }).then(
        () => 'whole',
        error => String(error.code),
      )
      for (let turn = 0; turn < turns; turn += 1) await new Promise(resolve => setImmediate(resolve))
      aborting.abort()
      outcomes.push(await listing)
    }

    expect(outcomes).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED'])
  })
})

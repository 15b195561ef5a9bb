import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SubagentError } from '#shared/errors.ts'
import {
  id,
  oneShot,
  openCatalog,
  PARENT,
  type Persistence,
  type TestCatalog,
} from './fixtures/catalog-fixture.ts'
import { listChildren } from './list-children.ts'
import { listDescendants } from './list-descendants.ts'

/* However and whenever a listing is aborted, it ends as `CANCELLED`. Numbers are those of the study's §8.1, §8.2. */

let catalog: TestCatalog
beforeEach(async () => {
  catalog = await openCatalog()
  await catalog.cold('a', [oneShot()])
  await catalog.cold('below', [oneShot()], { parentSession: id('a') })
})
afterEach(() => catalog.close())

function withPersistence(change: Partial<Persistence>) {
  return { ...catalog.deps, persistence: { ...catalog.persistence, ...change } }
}

async function expectCancelled(listing: Promise<unknown>): Promise<void> {
  await expect(listing).rejects.toBeInstanceOf(SubagentError)
  await expect(listing).rejects.toMatchObject({ code: 'CANCELLED' })
}

describe.each([
  ['children', listChildren],
  ['descendants', listDescendants],
])('a listing of %s', (_, list) => {
  it('that is aborted beforehand reads nothing (8.1.36, 8.2.10)', async () => {
    await expectCancelled(list(catalog.deps, PARENT, { signal: AbortSignal.abort() }))

    expect(catalog.reads).toMatchObject({ lists: 0, checkpoints: 0, logs: [] })
  })

  it('is cancelled when the listing of headers fails after the abort, with whatever error (8.1.37)', async () => {
    const aborting = new AbortController()
    const deps = withPersistence({
      list: async () => {
        aborting.abort()
        throw new Error('the backend’s own words')
      },
    })

    await expectCancelled(list(deps, PARENT, { signal: aborting.signal }))
  })

  it('is cancelled when the listing of headers succeeds after the abort', async () => {
    const aborting = new AbortController()
    const deps = withPersistence({
      list: async filter => {
        aborting.abort()
        return catalog.store.persistence.list(filter)
      },
    })

    await expectCancelled(list(deps, PARENT, { signal: aborting.signal }))
    expect(catalog.reads.logs).toEqual([])
  })

  it('is cancelled at the checkpoints, whether they are read or fail', async () => {
    for (const end of [async () => [], () => Promise.reject(new Error('no'))]) {
      const aborting = new AbortController()
      const read = () => {
        aborting.abort()
        return end()
      }
      await expectCancelled(
        list({ ...catalog.deps, checkpoints: { read } }, PARENT, { signal: aborting.signal }),
      )
    }
    expect(catalog.reads.logs).toEqual([])
  })

  it('is cancelled promptly while a log is read (8.1.38)', async () => {
    const aborting = new AbortController()
    const deps = withPersistence({
      inspectFolded: (sessionId, signal) => {
        const reading = catalog.store.persistence.inspectFolded(sessionId, signal)
        aborting.abort(new Error('closed the window'))
        return reading
      },
    })

    await expectCancelled(list(deps, PARENT, { signal: aborting.signal }))
  })

  it('is cancelled when the abort is seen only after the last log was read (8.1.39)', async () => {
    const aborting = new AbortController()
    const deps = withPersistence({
      inspectFolded: async sessionId => {
        const inspection = await catalog.store.persistence.inspectFolded(sessionId)
        aborting.abort()
        return inspection
      },
    })

    await expectCancelled(list(deps, PARENT, { signal: aborting.signal }))
  })

  it('is cancelled when a log fails after the abort: no row says so (8.1.40)', async () => {
    const aborting = new AbortController()
    const deps = withPersistence({
      inspectFolded: async () => {
        aborting.abort()
        throw new Error('unreadable')
      },
    })

    await expectCancelled(list(deps, PARENT, { signal: aborting.signal }))
  })

  it('is cancelled while it looks for folders', async () => {
    const aborting = new AbortController()
    const deps = {
      ...catalog.deps,
      isFolderMissing: async () => {
        aborting.abort()
        return true
      },
    }
    await catalog.cold('housed', [oneShot()], { cwd: '/somewhere' })

    await expectCancelled(list(deps, PARENT, { signal: aborting.signal, with: ['warnings'] }))
  })

  it('goes on when another one of the same children is cancelled', async () => {
    const aborting = new AbortController()
    const cancelled = list(catalog.deps, PARENT, { signal: aborting.signal })
    const other = list(catalog.deps, PARENT)
    aborting.abort()

    await expectCancelled(cancelled)
    expect(await other).toMatchObject([{ id: 'a' }, ...(list === listDescendants ? [{ id: 'below' }] : [])])
  })
})

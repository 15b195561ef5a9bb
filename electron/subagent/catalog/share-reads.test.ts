import { afterEach, describe, expect, it } from 'vitest'
import type { SessionId } from '#shared/session/ids.ts'
import { id, oneShot, openCatalog, PARENT, type TestCatalog } from './fixtures/catalog-fixture.ts'
import { listChildren } from './list-children.ts'
import { shareReads, withSharedReads } from './share-reads.ts'

/* Reads of logs by several listings at a time (contracts §6.6, the study's §8.1.43). */

/** A reader whose reads end when the test says so. */
function openReader(most?: number) {
  const reads: { id: SessionId; signal: AbortSignal | undefined; end(): void; fail(error: Error): void }[] =
    []
  let under = 0
  let atOnce = 0
  const read = shareReads((sessionId, signal) => {
    under += 1
    atOnce = Math.max(atOnce, under)
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const text = `${sessionId}, read ${reads.filter(one => one.id === sessionId).length + 1}`
    reads.push({ id: sessionId, signal, end: () => resolve(text), fail: reject })
    return promise.finally(() => {
      under -= 1
    })
  }, most)
  return { read, reads, atOnce: () => atOnce }
}

const settled = () => new Promise(resolve => setImmediate(resolve))

describe('a shared read', () => {
  it('gives its answer to all who asked while it was under way, and to nobody after it', async () => {
    const { read, reads } = openReader()

    const both = [read(id('a')), read(id('a'))]
    await settled()
    expect(reads).toHaveLength(1)
    reads[0]?.end()
    expect(await Promise.all(both)).toEqual(['a, read 1', 'a, read 1'])

    const later = read(id('a'))
    await settled()
    reads[1]?.end()
    expect(await later).toBe('a, read 2')
  })

  it('fails for all who waited for it, and never for a later caller', async () => {
    const { read, reads } = openReader()
    const both = [read(id('a')), read(id('a'))]
    await settled()

    reads[0]?.fail(new Error('not now'))

    for (const one of both) await expect(one).rejects.toThrow('not now')
    const later = read(id('a'))
    await settled()
    reads[1]?.end()
    expect(await later).toBe('a, read 2')
  })

  it('goes on for the others when one of them leaves, who leaves at once', async () => {
    const { read, reads } = openReader()
    const leaving = new AbortController()
    const left = read(id('a'), leaving.signal)
    const stays = read(id('a'), new AbortController().signal)
    await settled()

    leaving.abort(new Error('the window closed'))

    await expect(left).rejects.toThrow('the window closed')
    expect(reads[0]?.signal?.aborted).toBe(false)
    reads[0]?.end()
    expect(await stays).toBe('a, read 1')
  })

  it('is aborted when nobody waits for it any more; who comes then is not given it', async () => {
    const { read, reads } = openReader()
    const leaving = new AbortController()
    const all = [read(id('a'), leaving.signal), read(id('a'), leaving.signal)]
    await settled()

    leaving.abort()
    for (const one of all) await expect(one).rejects.toThrow()

    expect(reads[0]?.signal?.aborted).toBe(true)
    const later = read(id('a'))
    await settled()
    reads[1]?.end()
    expect(await later).toBe('a, read 2')
  })

  it('that was left before its turn is never begun', async () => {
    const { read, reads } = openReader(1)
    const leaving = new AbortController()
    const first = read(id('a'))
    const left = read(id('b'), leaving.signal)
    const last = read(id('c'))
    await settled()

    leaving.abort()
    await expect(left).rejects.toThrow()
    reads[0]?.end()
    await first
    await settled()

    expect(reads.map(one => one.id)).toEqual(['a', 'c'])
    reads[1]?.end()
    await last
  })

  it('is one of four at most, whoever asks, and a place is given away again when one fails', async () => {
    const { read, reads, atOnce } = openReader()
    const asked = Array.from({ length: 12 }, (_, index) => read(id(`s${index % 10}`)).catch(() => 'failed'))

    for (let done = 0; done < 10; done += 1) {
      await settled()
      expect(reads).toHaveLength(Math.min(done + 4, 10))
      if (done % 3 === 0) reads[done]?.fail(new Error('no'))
      else reads[done]?.end()
    }

    expect(await Promise.all(asked)).toHaveLength(12)
    expect(atOnce()).toBe(4)
  })
})

describe('listings of the same children', () => {
  let catalog: TestCatalog
  afterEach(() => catalog.close())

  it('that are made together read each log once, four at a time over all of them (8.1.43)', async () => {
    catalog = await openCatalog()
    for (let index = 0; index < 20; index += 1) await catalog.cold(`c${index}`, [oneShot()])
    const { persistence } = catalog
    const { promise: together, resolve: begin } = Promise.withResolvers<void>()
    const inspectFolded: typeof persistence.inspectFolded = async (...args) => {
      await together
      return persistence.inspectFolded(...args)
    }
    const deps = { ...catalog.deps, persistence: withSharedReads({ ...persistence, inspectFolded }) }
    const listings = [1, 2, 3].map(() => listChildren(deps, PARENT))
    while (catalog.reads.checkpoints < 3) await settled()
    for (let turn = 0; turn < 20; turn += 1) await settled()

    begin()

    for (const rows of await Promise.all(listings)) expect(rows).toHaveLength(20)
    expect(catalog.reads.logs.toSorted()).toEqual(
      Array.from({ length: 20 }, (_, index) => `c${index}`).sort(),
    )
    expect(catalog.reads.atOnce).toBe(4)
  })

  it('end for the one that is aborted and for no other', async () => {
    catalog = await openCatalog()
    for (let index = 0; index < 20; index += 1) await catalog.cold(`c${index}`, [oneShot()])
    const { persistence } = catalog
    const deps = { ...catalog.deps, persistence: withSharedReads(persistence) }
    const aborting = new AbortController()
    const cancelled = listChildren(deps, PARENT, { signal: aborting.signal })
    const other = listChildren(deps, PARENT)
    while (catalog.reads.logs.length < 6) await settled()

    aborting.abort()

    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(await other).toHaveLength(20)
  })
})

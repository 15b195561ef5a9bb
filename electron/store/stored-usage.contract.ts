import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { childHeader, log, sessionHeader, user } from './fixtures/logs.ts'
import type { Store } from './store-client.ts'

/** What every backend must be able to say about the space it uses. */
export function usageContract(name: string, open: (dataFolder: string) => Promise<Store>): void {
  describe(`${name}: the space that sessions use`, () => {
    let folder: string
    let store: Store
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'espalier-usage-'))
      store = await open(folder)
      const long = Array.from({ length: 40 }, () => user('x'.repeat(1000)))
      await store.persistence.create(sessionHeader('small'), log([user('a')]))
      await store.persistence.create(sessionHeader('big', { createdAt: 2 }), log(long))
      await store.persistence.create(childHeader('child', 'big'), log(long))
      await store.persistence.create(childHeader('grandchild', 'child'), log(long))
      await store.persistence.create(
        sessionHeader('fork', { parentSession: toSessionId('big') }),
        log(long.slice(0, 30)),
      )
    })
    afterEach(async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    })

    const measure = () => store.usage.measure(() => {})
    const append = async (id: string, from: number, size: number) =>
      store.persistence.append([
        { sessionId: toSessionId(id), expectedSeq: from, events: log([user('y'.repeat(size))], from) },
      ])

    test('is summed by tree, the biggest first; a fork is a tree of its own', async () => {
      const { trees, all, trash } = await measure()
      expect(trees.map(({ id, sessions }) => [id, sessions])).toEqual([
        ['big', 3],
        ['fork', 1],
        ['small', 1],
      ])
      expect(trees[2]!.bytes).toBeGreaterThan(0)
      expect(trees[0]!.bytes).toBeGreaterThan(trees[2]!.bytes)
      expect(all).toEqual({
        trees: 3,
        sessions: 5,
        bytes: trees.reduce((sum, { bytes }) => sum + bytes, 0),
      })
      expect(trash).toEqual([])
    })

    test('follows what is appended', async () => {
      const before = await measure()
      await append('small', 1, 300_000)
      const after = await measure()
      const of = (id: string, { trees }: typeof after) => trees.find(tree => tree.id === id)!.bytes
      expect(of('small', after)).toBeGreaterThan(of('small', before))
      expect(of('big', after)).toBe(of('big', before))
      expect(await measure()).toEqual(after)
    })

    test('goes over to the trash with a tree, back with it, and away with a purge', async () => {
      const before = await measure()
      await store.persistence.trash(toSessionId('big'))
      const thrown = await measure()
      expect(thrown.trees.map(({ id }) => id)).toEqual(['fork', 'small'])
      expect(thrown.trash).toEqual([{ id: 'big', bytes: before.trees[0]!.bytes }])
      await store.persistence.restore(toSessionId('big'))
      expect(await measure()).toEqual(before)
      await store.persistence.trash(toSessionId('big'))
      await store.persistence.purge(toSessionId('big'))
      const purged = await measure()
      expect(purged.trash).toEqual([])
      expect(purged.all.sessions).toBe(2)
    })

    test('what is archived says so', async () => {
      await store.persistence.archive(toSessionId('big'), true)
      const { trees } = await measure()
      expect(trees.map(({ archived }) => archived)).toEqual([true, false, false])
    })

    test('compacting gives back what held nothing, and loses nothing', async () => {
      await append('big', 40, 2_000_000)
      await store.persistence.trash(toSessionId('big'))
      await store.persistence.purge(toSessionId('big'))
      const before = await measure()
      await store.usage.compact()
      const after = await measure()
      expect(after.free).toBeLessThanOrEqual(before.free)
      expect(after.free).toBeLessThan(100_000)
      expect(after.all).toEqual(before.all)
      expect(await store.persistence.readFrom(toSessionId('fork'), 0, 100)).toHaveLength(30)
      await append('small', 1, 10)
    })

    test('a measuring that nobody waits for any more ends', async () => {
      await expect(store.usage.measure(() => {}, AbortSignal.abort())).rejects.toMatchObject({
        name: 'AbortError',
      })
    })
  })
}

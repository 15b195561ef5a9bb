import { setTimeout } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { childHeader, finishedTurn, log, sessionHeader, user } from '../fixtures/logs.ts'
import type { BackendLab } from './backend-lab.contract.ts'

export function describeLists(lab: BackendLab): void {
  const { create, append, ids, reopen, checkpoint } = lab

  describe('lists', () => {
    beforeEach(async () => {
      await create(sessionHeader('root', { createdAt: 50 }))
      await create(childHeader('b', 'root', { createdAt: 60 }))
      await create(childHeader('B', 'root', { createdAt: 60 }))
      await create(childHeader('late', 'root', { createdAt: 10 }))
      await create(sessionHeader('fork', { parentSession: toSessionId('root'), createdAt: 70 }))
      await create(childHeader('under-fork', 'fork', { createdAt: 80 }))
      await create(childHeader('grandchild', 'b', { createdAt: 90 }))
      await create(sessionHeader('other', { createdAt: 5 }))
    })

    test('roots are what nobody delegated; order is creation, then id by code unit', async () => {
      expect(await ids({ kind: 'roots' })).toEqual(['other', 'root', 'fork'])
      expect(await ids({ kind: 'children', parent: toSessionId('root') })).toEqual(['late', 'B', 'b'])
      expect(await ids({ kind: 'children', parent: toSessionId('nobody') })).toEqual([])
      expect(await ids({ kind: 'all' })).toHaveLength(8)
    })

    test('a tree goes through forks, names each session once and leaves its root out', async () => {
      expect(await ids({ kind: 'tree', root: toSessionId('root') })).toEqual([
        'late',
        'B',
        'b',
        'fork',
        'under-fork',
        'grandchild',
      ])
    })

    test('a session knows whether it has children, its length and its last activity', async () => {
      const { sessions } = await lab.backend.persistence.list({ kind: 'all' })
      expect(
        sessions
          .filter(({ hasSubagentChildren }) => hasSubagentChildren)
          .map(({ header }) => header.id)
          .toSorted(),
      ).toEqual(['b', 'fork', 'root'])
      await append(toSessionId('other'), 2, [{ seq: 2, time: 9999, type: 'x', data: 1 }])
      expect(await lab.backend.persistence.get(toSessionId('other'))).toEqual({
        header: sessionHeader('other', { createdAt: 5 }),
        endSeq: 3,
        archived: false,
        hasSubagentChildren: false,
        lastActivity: 9999,
      })
    })

    test('ancestry that goes in a circle ends', async () => {
      await create(childHeader('x', 'z'))
      await create(childHeader('y', 'x'))
      await create(childHeader('z', 'y'))
      await create(childHeader('self', 'self'))
      expect(await ids({ kind: 'tree', root: toSessionId('x') })).toEqual(['y', 'z'])
      expect(await ids({ kind: 'tree', root: toSessionId('self') })).toEqual([])
      expect(await lab.backend.persistence.trash(toSessionId('y'))).toBe(3)
    })

    const archived = async () => {
      const { sessions } = await lab.backend.persistence.list({ kind: 'all' })
      return sessions.filter(one => one.archived).map(({ header }) => header.id)
    }

    test('archiving marks a session and all that was delegated below it, and is kept', async () => {
      const root = toSessionId('root')
      expect(await lab.backend.persistence.archive(root, true)).toBe(5)
      await reopen()
      expect(new Set(await archived())).toEqual(new Set(['late', 'root', 'B', 'b', 'grandchild']))
      expect(await lab.backend.persistence.archive(root, true)).toBe(0)
      expect(await lab.backend.persistence.archive(root, false)).toBe(5)
      expect(await archived()).toEqual([])
      expect(await lab.backend.persistence.archive(root, false)).toBe(0)
    })

    test('bringing back from the archive changes exactly what was archived together', async () => {
      expect(await lab.backend.persistence.archive(toSessionId('b'), true)).toBe(2)
      expect(await lab.backend.persistence.archive(toSessionId('root'), true)).toBe(3)
      await reopen()
      expect(await lab.backend.persistence.archive(toSessionId('B'), false)).toBe(3)
      expect(await archived()).toEqual(['b', 'grandchild'])
      expect(await lab.backend.persistence.archive(toSessionId('grandchild'), false)).toBe(2)
      expect(await archived()).toEqual([])
    })

    test('trash takes the whole tree out of every view, restore brings all of it back', async () => {
      const root = toSessionId('root')
      const before = await lab.backend.persistence.list({ kind: 'all' })
      await checkpoint('b')
      expect(await lab.backend.persistence.trash(root)).toBe(5)
      expect(await ids({ kind: 'all' })).toEqual(['other', 'fork', 'under-fork'])
      expect(await ids({ kind: 'children', parent: root })).toEqual([])
      expect(await lab.backend.persistence.get(toSessionId('b'))).toBeNull()
      await expect(lab.backend.persistence.inspect(toSessionId('b'))).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
      })
      expect(await lab.backend.checkpoints.read([toSessionId('b')], ['subagent'])).toEqual([])
      await reopen()
      expect(await lab.backend.persistence.restore(root)).toBe(5)
      expect(await lab.backend.persistence.list({ kind: 'all' })).toEqual(before)
      expect(await lab.backend.checkpoints.read([toSessionId('b')], ['subagent'])).toHaveLength(1)
      expect(await lab.backend.persistence.restore(root)).toBe(0)
    })

    test('what was archived is archived still when it comes back from the trash', async () => {
      await lab.backend.persistence.archive(toSessionId('b'), true)
      await lab.backend.persistence.trash(toSessionId('root'))
      await lab.backend.persistence.restore(toSessionId('root'))
      expect(await archived()).toEqual(['b', 'grandchild'])
    })

    test('a child in the trash does not count, and what was thrown away before stays there', async () => {
      const b = toSessionId('b')
      expect(await lab.backend.persistence.trash(toSessionId('grandchild'))).toBe(1)
      expect(await lab.backend.persistence.get(b)).toMatchObject({ hasSubagentChildren: false })
      expect(await lab.backend.persistence.trash(toSessionId('root'))).toBe(4)
      await lab.backend.persistence.restore(toSessionId('root'))
      expect(await lab.backend.persistence.get(toSessionId('grandchild'))).toBeNull()
      await lab.backend.persistence.restore(toSessionId('grandchild'))
      expect(await lab.backend.persistence.get(b)).toMatchObject({ hasSubagentChildren: true })
    })

    test('the trash lists what was thrown away together, the latest first', async () => {
      const from = Date.now()
      await create(
        sessionHeader('named', { cwd: '/home/ada/quill' }),
        log([['session/title', { title: 'Refactor', source: 'person' }], ...finishedTurn]),
      )
      await checkpoint('named')
      for (const id of ['named', 'grandchild', 'root'].map(toSessionId)) {
        await lab.backend.persistence.trash(id)
        await setTimeout(2) // acts of one millisecond have no order
      }
      await reopen()
      const trashed = await lab.backend.persistence.trashed()
      expect(trashed.map(({ trashedAt, ...rest }) => rest)).toEqual([
        { id: 'root', label: null, cwd: null, sessions: 5 },
        { id: 'grandchild', label: null, cwd: null, sessions: 1 },
        { id: 'named', label: 'Refactor', cwd: '/home/ada/quill', sessions: 1 },
      ])
      for (const { trashedAt } of trashed) expect(trashedAt).toBeGreaterThanOrEqual(from)
      await lab.backend.persistence.restore(toSessionId('root'))
      expect((await lab.backend.persistence.trashed()).map(({ id }) => id)).toEqual(['grandchild', 'named'])
    })

    test('a purge deletes for good what was thrown away together, and what lay in the trash below it', async () => {
      const root = toSessionId('root')
      await checkpoint('b')
      await lab.backend.persistence.trash(toSessionId('grandchild'))
      await lab.backend.persistence.trash(root)
      expect(await lab.backend.persistence.purge(root)).toBe(5)
      await reopen()
      expect(await lab.backend.persistence.trashed()).toEqual([])
      expect(await ids({ kind: 'all' })).toEqual(['other', 'fork', 'under-fork'])
      for (const id of ['root', 'b', 'grandchild'].map(toSessionId)) {
        await expect(lab.backend.persistence.restore(id)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
        await expect(lab.backend.persistence.raw(id, 0, 1)).rejects.toMatchObject({
          code: 'SESSION_NOT_FOUND',
        })
        expect(await append(id, 2, log([user('late')], 2))).toBe('missing')
      }
      expect(await lab.backend.persistence.readFrom(toSessionId('fork'), 0, 10)).toHaveLength(2)
      await create(sessionHeader('root'))
      expect(await lab.backend.persistence.get(root)).toMatchObject({ archived: false, endSeq: 2 })
    })

    test('a purge takes a long log, and appends go between its steps', async () => {
      const long = toSessionId('long')
      const texts = Array.from({ length: 20_000 }, (_, index) => user(`${index} ${'x'.repeat(300)}`))
      await create(sessionHeader('long'), log(texts))
      await lab.backend.persistence.trash(long)
      const purged = lab.backend.persistence.purge(long)
      const appended = append(toSessionId('other'), 2, log([user('meanwhile')], 2))
      expect(await Promise.race([purged, appended])).toBe('written')
      expect(await purged).toBe(1)
      expect(await lab.backend.persistence.trashed()).toEqual([])
      await lab.backend.persistence.finishPurges()
    })

    test('only what is in the trash is purged', async () => {
      await expect(lab.backend.persistence.purge(toSessionId('root'))).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      })
      await expect(lab.backend.persistence.purge(toSessionId('nobody'))).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
      })
      expect(await ids({ kind: 'all' })).toHaveLength(8)
    })
  })
}

import { describe, expect, test } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { finishedTurn, log, sessionHeader, user } from '../fixtures/logs.ts'
import type { BackendLab } from './backend-lab.contract.ts'

const S = toSessionId('s')

export function describeAppends(lab: BackendLab): void {
  const { create, append, reopen } = lab

  describe('appends', () => {
    test('a stale seq is a conflict, and the other batches are written (10)', async () => {
      await create(sessionHeader('s'))
      await create(sessionHeader('t'))
      const batch = (id: string, expectedSeq: number) => ({
        sessionId: toSessionId(id),
        expectedSeq,
        events: log([user('y')], expectedSeq),
      })
      expect(
        await lab.backend.persistence.append([
          batch('s', 1),
          batch('t', 2),
          batch('gone', 0),
          batch('t', 3),
          batch('t', 3),
        ]),
      ).toEqual(['conflict', 'written', 'missing', 'written', 'conflict'])
      expect(await lab.backend.persistence.get(S)).toMatchObject({ endSeq: 2 })
      expect(await lab.backend.persistence.get(toSessionId('t'))).toMatchObject({ endSeq: 4 })
    })

    test('seqs that are not dense are refused before anything is written (10, 11)', async () => {
      await create(sessionHeader('s'))
      const gap = [...log([user('a')], 2), ...log([user('b')], 4)]
      const good = { sessionId: S, expectedSeq: 2, events: log([user('a')], 2) }
      for (const bad of [gap, log([user('a')], 3)]) {
        const batches = [good, { sessionId: S, expectedSeq: 2, events: bad }]
        await expect(lab.backend.persistence.append(batches)).rejects.toMatchObject({ code: 'SEQ_CONFLICT' })
      }
      await expect(create(sessionHeader('t'), log([user('a')], 1))).rejects.toMatchObject({
        code: 'SEQ_CONFLICT',
      })
      expect(await lab.backend.persistence.get(S)).toMatchObject({ endSeq: 2 })
      expect(await lab.backend.persistence.get(toSessionId('t'))).toBeNull()
    })

    const cycle: Record<string, unknown> = {}
    cycle['self'] = [cycle]
    test.each([
      ['undefined', undefined],
      ['an undefined field', { a: undefined }],
      ['NaN', [Number.NaN]],
      ['infinity', { a: Number.POSITIVE_INFINITY }],
      ['-0', -0],
      ['a cycle', cycle],
      ['a function', { f: () => 1 }],
      ['a BigInt', [1n]],
      ['a date', { d: new Date() }],
      ['a map', new Map()],
      ['a hole', new Array(2)],
      ['a symbol', { [Symbol('x')]: 1 }],
    ])('data with %s is refused and names the event type (12)', async (_, data) => {
      await create(sessionHeader('s'))
      const refused = append(S, 2, [...log([user('fine')], 2), ...log([['todo/write', data]], 3)])
      await expect(refused).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining('todo/write'),
      })
      expect(await lab.backend.persistence.get(S)).toMatchObject({ endSeq: 2 })
    })

    test('a lone surrogate is replaced, a pair and an escaped text are not', async () => {
      await create(sessionHeader('s'), log([['x', ['a\ud800b', '\udfff', '🪴', '\\ud800', '\\\ud800']]]))
      const [event] = await lab.backend.persistence.readFrom(S, 0, 1)
      expect(event?.data).toEqual(['a\ufffdb', '\ufffd', '🪴', '\\ud800', '\\\ufffd'])
    })

    test('data may nest deeply', async () => {
      const deep: unknown = JSON.parse('['.repeat(2000) + ']'.repeat(2000))
      await create(sessionHeader('s'), log([['x', deep]]))
      expect(JSON.stringify((await lab.backend.persistence.readFrom(S, 0, 1))[0]?.data)).toBe(
        JSON.stringify(deep),
      )
    })

    test("an append takes the caller's array as it was (23)", async () => {
      await create(sessionHeader('s'))
      const events = log([user('y')], 2)
      const done = append(S, 2, events)
      events.push(...log([user('z')], 3))
      expect(await done).toBe('written')
      expect(await lab.backend.persistence.get(S)).toMatchObject({ endSeq: 3 })
    })

    test('nothing to append writes nothing (43)', async () => {
      await create(sessionHeader('s'))
      const before = await lab.backend.persistence.revision(S)
      expect(await lab.backend.persistence.append([])).toEqual([])
      expect(await append(S, 2, [])).toBe('written')
      expect(await lab.backend.persistence.revision(S)).toBe(before)
    })

    test('an id that is gone or unknown is told apart from a failure (44)', async () => {
      const gone = toSessionId('gone')
      const reads = [
        lab.backend.persistence.inspect(gone),
        lab.backend.persistence.inspectFolded(gone),
        lab.backend.persistence.load(gone),
        lab.backend.persistence.readFrom(gone, 0, 1),
        lab.backend.persistence.page(gone, { limit: 1 }),
        lab.backend.persistence.raw(gone, 0, 1),
        lab.backend.persistence.revision(gone),
        lab.backend.persistence.archive(gone, true),
        lab.backend.persistence.trash(gone),
        lab.backend.persistence.restore(gone),
        lab.backend.checkpoints.snapshot(gone),
      ]
      for (const read of await Promise.allSettled(reads)) {
        expect(read).toMatchObject({ status: 'rejected', reason: { code: 'SESSION_NOT_FOUND' } })
      }
      expect(await lab.backend.persistence.get(gone)).toBeNull()
    })

    test('an id is created once, trashed or not (45)', async () => {
      await create(sessionHeader('s'))
      await expect(create(sessionHeader('s'))).rejects.toMatchObject({ code: 'SESSION_EXISTS' })
      await lab.backend.persistence.trash(S)
      await reopen()
      await expect(create(sessionHeader('s'))).rejects.toMatchObject({ code: 'SESSION_EXISTS' })
    })

    test('an event of an unknown kind is shown, and resumed only when it may be ignored (48)', async () => {
      const unknown = { ...log([['x/future', { a: 1 }]], 6)[0]!, ignorable: true as const }
      await create(sessionHeader('s'), [...log(finishedTurn), unknown])
      expect((await lab.backend.persistence.load(S)).events.at(-1)).toEqual(unknown)
      await create(sessionHeader('t'), log([...finishedTurn, ['x/future', { a: 1 }]]))
      await expect(lab.backend.persistence.load(toSessionId('t'))).rejects.toMatchObject({
        code: 'SESSION_DAMAGED',
        message: expect.stringContaining('x/future'),
      })
      expect(await lab.backend.persistence.inspect(toSessionId('t'))).toMatchObject({
        damage: [],
        closers: 0,
        events: { length: 7 },
      })
    })

    test.each([
      ['no content', { id: 'u', source: { kind: 'person' } }],
      ['a content that is a text', { id: 'u', source: { kind: 'person' }, content: 'x' }],
      ['a null', null],
    ])('a message with %s is shown but not resumed over (22)', async (_, data) => {
      await create(sessionHeader('s'), log([['user/message', data]]))
      expect(await lab.backend.persistence.inspect(S)).toMatchObject({ damage: [], events: [{ data }] })
      await expect(lab.backend.persistence.load(S)).rejects.toMatchObject({ code: 'SESSION_DAMAGED' })
    })

    test('two appends to one log: one is written, the other conflicts', async () => {
      await create(sessionHeader('s'))
      const results = await Promise.all([
        append(S, 2, log([user('a')], 2)),
        append(S, 2, log([user('b')], 2)),
      ])
      expect(results.toSorted()).toEqual(['conflict', 'written'])
    })

    test('a long append keeps its place before a short one', async () => {
      await create(sessionHeader('s'), [])
      const many = log(Array.from({ length: 30_000 }, () => ['x', { text: 'y'.repeat(50) }] as const))
      const results = await Promise.all([append(S, 0, many), append(S, 30_000, log([user('z')], 30_000))])
      expect(results).toEqual(['written', 'written'])
      expect(await lab.backend.persistence.inspect(S)).toMatchObject({ events: { length: 30_001 } })
    })
  })
}

import { describe, expect, test } from 'vitest'
import { hasOpenTurn } from '#shared/session/closers.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import { type SessionId, toSessionId } from '#shared/session/ids.ts'
import { wireEvent } from '#shared/session/wire-events.ts'
import {
  call,
  childHeader,
  finishedTurn,
  log,
  openTurn,
  said,
  sessionHeader,
  user,
} from '../fixtures/logs.ts'
import type { BackendLab } from './backend-lab.contract.ts'

const S = toSessionId('s')

export function describeLogs(lab: BackendLab): void {
  const { create, append, ids, reopen } = lab

  describe('logs', () => {
    test('what was written is read back exactly, also after a restart (1, 17)', async () => {
      const events: StoredEvent[] = [
        {
          seq: 0,
          time: 5,
          type: 'user/message',
          data: { text: 'ünï \u0000 \u2028 "\\ud800" 🪴', n: [1e21, -1.5, 0, null] },
        },
        { seq: 1, time: 3, type: 'x/unknown', data: null, ignorable: true },
        { seq: 2, time: 4.5, type: 'x', data: { ['__proto__']: 1, '': { a: [] } } },
      ]
      const header = childHeader('s', 'p', {
        cwd: '/wörk',
        seedLength: 2,
        delegationDepth: 3,
        preset: 'coder',
      })
      await create(header, events)
      await reopen()
      const inspection = await lab.backend.persistence.inspect(S)
      expect(inspection).toEqual({ header, events, closers: 0, damage: [] })
      expect(await lab.backend.persistence.readFrom(S, 0, 10)).toEqual(events)
    })

    test('a header that is not valid is refused and reserves nothing (2)', async () => {
      await expect(create(sessionHeader('s', { createdAt: 1.5 }))).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      })
      await expect(create({ ...sessionHeader('s'), id: '../s' as SessionId })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      })
      await create(sessionHeader('s'))
      expect(await lab.backend.persistence.get(S)).not.toBeNull()
    })

    test('inspecting an interrupted turn shows closers and writes nothing; loading commits them (3)', async () => {
      await create(sessionHeader('s'), log(openTurn))
      const before = await lab.backend.persistence.revision(S)
      const inspection = await lab.backend.persistence.inspect(S)
      expect(inspection.events.slice(-inspection.closers).map(({ type }) => type)).toEqual([
        'tool/result',
        'tool/result',
        'step/end',
        'turn/end',
      ])
      expect(await lab.backend.persistence.revision(S)).toBe(before)
      expect(await lab.backend.persistence.readFrom(S, openTurn.length, 10)).toEqual([])

      const loaded = await lab.backend.persistence.load(S)
      expect(loaded.events).toEqual(inspection.events)
      expect(loaded.events.map(({ seq }) => seq)).toEqual(loaded.events.map((_, index) => index))
      expect(await lab.backend.persistence.revision(S)).not.toBe(before)

      const next = log(
        [
          ['turn/start', { turn: 2 }],
          ['turn/end', { turn: 2, reason: { kind: 'completed' } }],
        ],
        loaded.events.length,
      )
      expect(await append(S, loaded.events.length, next)).toBe('written')
      await reopen()
      const again = await lab.backend.persistence.load(S)
      expect(again.events).toEqual([...loaded.events, ...next])
      expect(again.waitingForApproval).toBe(false)
    })

    test('a fork’s events are written once, and a resume goes on behind them without writing (24, 25)', async () => {
      const events = log([...finishedTurn, ['session/end-seed', { source: 'p' }], ...finishedTurn])
      await create(sessionHeader('s', { parentSession: toSessionId('p'), seedLength: 6 }), events)
      const before = await lab.backend.persistence.revision(S)
      expect((await lab.backend.persistence.load(S)).events).toEqual(events)
      expect(await lab.backend.persistence.revision(S)).toBe(before)
      expect(await append(S, events.length, log([user('more')], events.length))).toBe('written')
      await reopen()
      expect((await lab.backend.persistence.load(S)).events.slice(0, -1)).toEqual(events)
    })

    test('of a long log its end is handed over, and everything that the checkpoint lacks', async () => {
      const messages = (from: number, count: number) =>
        log(
          Array.from({ length: count }, (_, index) => user(`m${from + index}`)),
          from,
        )
      const loadedSeqs = async () => {
        const { events } = await lab.backend.persistence.load(S)
        return [events[0]?.seq, events.at(-1)?.seq, events.length]
      }
      await create(sessionHeader('s'), messages(0, 1500))
      expect(await loadedSeqs()).toEqual([0, 1499, 1500])

      await lab.backend.checkpoints.catchUp([S])
      expect(await loadedSeqs()).toEqual([1000, 1499, 500])
      expect(await append(S, 1500, messages(1500, 700))).toBe('written')
      expect(await loadedSeqs()).toEqual([1500, 2199, 700])
    })

    test('what a read hands out is the caller’s own (19)', async () => {
      const events = log(finishedTurn)
      await create(sessionHeader('s'), events)
      for (const read of [() => lab.backend.persistence.inspect(S), () => lab.backend.persistence.load(S)]) {
        const { header, events: own } = await read()
        Object.assign(header, { cwd: '/elsewhere' })
        for (const event of own) Object.assign(event, { data: 'changed' })
        expect(await read()).toMatchObject({ header: sessionHeader('s'), events })
      }
    })

    test('a call that was started has an unknown outcome, one that was not had no effect (4, 5)', async () => {
      await create(sessionHeader('s'), log(openTurn))
      const { events } = await lab.backend.persistence.load(S)
      const results = events.filter(({ type }) => type === 'tool/result').map(({ data }) => data)
      expect(results).toMatchObject([
        { callId: 'c1', code: 'TOOL_OUTCOME_UNKNOWN', status: 'error' },
        { callId: 'c2', code: 'TOOL_NOT_STARTED', status: 'error' },
      ])
      expect(JSON.stringify(results[0])).toMatch(/check before you repeat/)
      expect(hasOpenTurn(events)).toBe(false)
    })

    test('closers carry the time of the last event', async () => {
      await create(sessionHeader('s'), log(openTurn))
      const { events } = await lab.backend.persistence.load(S)
      expect(new Set(events.slice(openTurn.length).map(({ time }) => time))).toEqual(
        new Set([2000 + openTurn.length - 1]),
      )
    })

    test('a log whose open calls all wait for an answer is left open', async () => {
      const asked = [
        'approval/asked',
        {
          turn: 1,
          step: 1,
          callId: 'c1',
          approvalId: 'q',
          name: 'shell',
          toolClass: 'shell',
          input: {},
          pattern: 'shell: ls',
        },
      ] as const
      const events = log([...finishedTurn.slice(0, 3), said([call('c1')]), asked])
      await create(sessionHeader('s'), events)
      expect(await lab.backend.persistence.inspect(S)).toMatchObject({ closers: 0 })
      const loaded = await lab.backend.persistence.load(S)
      expect(loaded).toMatchObject({ events, waitingForApproval: true })
      expect((await lab.backend.checkpoints.snapshot(S)).values['outcome']).toEqual({
        kind: 'waiting',
        on: 'approval',
      })
    })

    test('a session without events is not listed, but its id is taken (6)', async () => {
      await create(sessionHeader('s'), [])
      await create(childHeader('c', 'p'), [])
      await create(sessionHeader('p'))
      expect(await ids({ kind: 'all' })).toEqual(['p'])
      expect(await lab.backend.persistence.get(toSessionId('p'))).toMatchObject({
        hasSubagentChildren: false,
      })
      await expect(create(sessionHeader('s'))).rejects.toMatchObject({ code: 'SESSION_EXISTS' })
      expect(await append(S, 0, log([user('x')]))).toBe('written')
      expect(await ids({ kind: 'roots' })).toEqual(['p', 's'])
    })

    test('reading from a seq gives exactly the rest and changes nothing (8)', async () => {
      const events = log(finishedTurn)
      await create(sessionHeader('s'), events)
      const before = await lab.backend.persistence.revision(S)
      expect(await lab.backend.persistence.readFrom(S, 2, 100)).toEqual(events.slice(2))
      expect(await lab.backend.persistence.readFrom(S, 2, 3)).toEqual(events.slice(2, 5))
      expect(await lab.backend.persistence.readFrom(S, 6, 3)).toEqual([])
      expect(await lab.backend.persistence.readFrom(S, 999, 3)).toEqual([])
      expect(await lab.backend.persistence.revision(S)).toBe(before)
    })

    test('a revision is stable, survives a restart and changes with every append (9)', async () => {
      await create(sessionHeader('s'))
      const first = await lab.backend.persistence.revision(S)
      await reopen()
      expect(await lab.backend.persistence.revision(S)).toBe(first)
      await append(S, 2, log([user('y')], 2))
      expect(await lab.backend.persistence.revision(S)).not.toBe(first)
    })

    test('a page walks backwards to the beginning', async () => {
      const events = log(Array.from({ length: 25 }, (_, index) => user(`m${index}`)))
      await create(sessionHeader('s'), events)
      const seen: StoredEvent[] = []
      let before: number | undefined
      for (;;) {
        const page = await lab.backend.persistence.page(S, {
          limit: 10,
          ...(before !== undefined && { before }),
        })
        expect(page).toMatchObject({ endSeq: 25, damage: [] })
        seen.unshift(...page.events)
        if (page.nextBefore === null) break
        before = page.nextBefore
      }
      expect(seen).toEqual(events)
      expect(await lab.backend.persistence.page(S, { before: 0, limit: 5 })).toMatchObject({
        events: [],
        nextBefore: null,
        damage: [],
      })
      expect((await lab.backend.persistence.page(S, { before: 9999, limit: 2 })).events).toEqual(
        events.slice(-2),
      )
    })

    test('a page for a window holds long events shortened, one for anybody else whole', async () => {
      const long = {
        id: 'm',
        source: { kind: 'person' },
        content: [{ type: 'text', text: 'x'.repeat(1_000_000) }],
      }
      const events = log([user('short'), ['user/message', long]])
      await create(sessionHeader('s'), events)

      const page = await lab.backend.persistence.page(S, { limit: 10, shortened: true })

      expect(page.events).toEqual(events.map(event => wireEvent(event)))
      expect(page.events[1]?.cut).toEqual([{ path: ['content', 0, 'text'], bytes: 1_000_000 }])
      expect((await lab.backend.persistence.page(S, { limit: 10 })).events).toEqual(events)
    })

    test('the raw view shows the stored text, cut at 4,000 characters', async () => {
      await create(sessionHeader('s'), log([user('x'.repeat(9000)), ['x', { a: 1 }]]))
      const rows = await lab.backend.persistence.raw(S, 0, 10)
      expect(rows.map(({ seq, type, text }) => [seq, type, text.length])).toEqual([
        [0, 'user/message', 4000],
        [1, 'x', 7],
      ])
      expect(await lab.backend.persistence.raw(S, 1, 1)).toEqual([{ seq: 1, type: 'x', text: '{"a":1}' }])
    })
  })
}

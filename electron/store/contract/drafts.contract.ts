import { describe, expect, test } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { finishedTurn, log, sessionHeader } from '../fixtures/logs.ts'
import type { BackendLab } from './backend-lab.contract.ts'

const S = toSessionId('s')

export function describeDrafts(lab: BackendLab): void {
  const { create, append, reopen } = lab

  describe('drafts', () => {
    const draft = (text: string, id = 'a') => ({
      id,
      turn: 1,
      step: 1,
      content: [{ type: 'text' as const, text }],
      model: { provider: 'p', model: 'm' },
    })

    test('an open message survives as an interrupted one, and its draft is used up by loading', async () => {
      await create(sessionHeader('s'), log(finishedTurn.slice(0, 3)))
      await lab.backend.persistence.saveDrafts([{ sessionId: S, draft: draft('hal') }])
      await lab.backend.persistence.saveDrafts([
        { sessionId: S, draft: draft('half a sen') },
        { sessionId: toSessionId('gone'), draft: null },
      ])
      await reopen()
      const inspection = await lab.backend.persistence.inspect(S)
      expect(inspection.events.slice(-3)).toMatchObject([
        { type: 'assistant/message', data: { interrupted: true, content: [{ text: 'half a sen' }] } },
        { type: 'step/end' },
        { type: 'turn/end', data: { reason: { kind: 'interrupted' } } },
      ])
      expect((await lab.backend.persistence.load(S)).events).toEqual(inspection.events)
      await append(
        S,
        6,
        log(
          [
            ['turn/start', { turn: 1 }],
            ['step/start', { turn: 1, step: 1 }],
          ],
          6,
        ),
      )
      expect(
        (await lab.backend.persistence.inspect(S)).events.filter(({ type }) => type === 'assistant/message'),
      ).toHaveLength(1)
    })

    test('a draft that was taken back, or whose message was logged, adds nothing', async () => {
      await create(sessionHeader('s'), log(finishedTurn.slice(0, 4)))
      await lab.backend.persistence.saveDrafts([{ sessionId: S, draft: draft('h') }])
      const messages = async () =>
        (await lab.backend.persistence.inspect(S)).events.filter(({ type }) => type === 'assistant/message')
          .length
      expect(await messages()).toBe(1)
      await lab.backend.persistence.saveDrafts([{ sessionId: S, draft: draft('next', 'b') }])
      expect(await messages()).toBe(2)
      await lab.backend.persistence.saveDrafts([{ sessionId: S, draft: null }])
      expect(await messages()).toBe(1)
    })
  })
}

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasOpenTurn } from '#shared/session/closers.ts'
import { storableJson } from '#shared/session/fixtures/storable-json.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { call, log, said, sessionHeader, started, user } from '../fixtures/logs.ts'
import type { BackendLab } from './backend-lab.contract.ts'

export function describeAnylog(lab: BackendLab): void {
  const { create, append } = lab

  test('any log, cut anywhere, inspects to its own prefix and closers that leave nothing open; loaded, it goes on', async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { maxLength: 30 }), fc.nat(), async (items, at) => {
        run += 1
        const id = toSessionId(`any-${run}`)
        const events = log(items).slice(0, items.length === 0 ? 0 : at % (items.length + 1))
        await create(sessionHeader(id), events)
        const inspection = await lab.backend.persistence.inspect(id)
        expect(inspection.damage).toEqual([])
        expect(inspection.events.slice(0, events.length)).toEqual(events)
        expect(inspection.events).toHaveLength(events.length + inspection.closers)
        const loaded = await lab.backend.persistence.load(id)
        expect(loaded.events).toEqual(inspection.events)
        expect(hasOpenTurn(loaded.events)).toBe(loaded.waitingForApproval)
        expect(await append(id, loaded.events.length, log([user('more')], loaded.events.length))).toBe(
          'written',
        )
        expect((await lab.backend.persistence.load(id)).events.slice(0, loaded.events.length)).toEqual(
          loaded.events,
        )
      }),
      { numRuns: 60 },
    )
  })
}

const callId = fc.constantFrom('c1', 'c2', 'c3')
const anyEvent = fc.oneof(
  fc.constant(['turn/start', { turn: 1 }] as const),
  fc.constant(['turn/end', { turn: 1, reason: { kind: 'completed' } }] as const),
  fc.constant(['step/start', { turn: 1, step: 1 }] as const),
  fc.constant(['step/end', { turn: 1, step: 1 }] as const),
  callId.map(id => said([call(id)])),
  callId.map(started),
  callId.map(
    id =>
      ['tool/result', { turn: 1, step: 1, callId: id, name: 'shell', status: 'ok', content: [] }] as const,
  ),
  callId.map(
    id =>
      [
        'approval/asked',
        {
          turn: 1,
          step: 1,
          callId: id,
          approvalId: `q-${id}`,
          name: 'shell',
          toolClass: 'shell',
          input: {},
          pattern: 'p',
        },
      ] as const,
  ),
  callId.map(
    id =>
      [
        'approval/decided',
        { approvalId: `q-${id}`, callId: id, decision: { kind: 'expired' }, by: 'rule' },
      ] as const,
  ),
  fc.string({ unit: 'binary' }).map(text => user(text)),
  storableJson.map(data => ['todo/write', data] as const),
)

import { beforeEach, describe, expect, test } from 'vitest'
import { Fold } from '#shared/projection/fold.ts'
import { outcome as outcomeUnit } from '#shared/projection/units/outcome.ts'
import { UNITS } from '#shared/projection/units.ts'
import { lifecycleFacts } from '#shared/session/header.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { call, childHeader, finishedTurn, log, openTurn, said } from '../fixtures/logs.ts'
import type { BackendLab } from './backend-lab.contract.ts'

export function describeCheckpoints(lab: BackendLab): void {
  const { create, checkpoint } = lab

  describe('checkpoints', () => {
    const descriptor = [
      'subagent/descriptor',
      { version: 2, mode: 'continuable', provider: 'spawn', label: 'Audit' },
    ] as const
    const identity = { mode: 'continuable', label: 'Audit', seq: 0 }
    const C = toSessionId('c')
    beforeEach(() => create(childHeader('c', 'p'), log([descriptor, ...finishedTurn])))

    test('only the keys asked for come back, sessions without a checkpoint do not', async () => {
      await create(childHeader('d', 'p'))
      await checkpoint('c')
      const [values, ...others] = await lab.backend.checkpoints.read(
        [C, toSessionId('d'), toSessionId('gone'), C],
        ['subagent', 'outcome'],
      )
      expect(others).toEqual([])
      expect(values).toEqual({
        sessionId: C,
        facts: lifecycleFacts(childHeader('c', 'p')),
        faults: [],
        asOfSeq: 6,
        lastDescriptorSeq: 0,
        values: { subagent: identity, outcome: { kind: 'completed' } },
        subagentState: { identity, own: 1, absence: null },
      })
      expect(await lab.backend.checkpoints.read([], ['subagent'])).toEqual([])
    })

    test('all rows of a session are replaced together', async () => {
      await checkpoint('c')
      await checkpoint('c', { keys: ['title'], faults: ['usage'], facts: 'other facts' })
      const [values] = await lab.backend.checkpoints.read([C], ['subagent', 'title'])
      expect(values).toMatchObject({
        values: { title: 'hello' },
        subagentState: null,
        faults: ['usage'],
        facts: 'other facts',
      })
      expect(values?.values).not.toHaveProperty('subagent')
    })

    test('a row of another state version, of no unit, of broken state or ahead of the log is absent', async () => {
      const rows = [
        { key: 'subagent', stateVersion: 1, seq: 1, state: { identity, own: 1, absence: null } },
        { key: 'outcome', stateVersion: 1, seq: 1, state: 'nonsense' },
        { key: 'title', stateVersion: 1, seq: 7, state: null },
        { key: 'no-such-unit', stateVersion: 1, seq: 1, state: 1 },
      ]
      await lab.backend.checkpoints.write([
        { sessionId: C, facts: lifecycleFacts(childHeader('c', 'p')), faults: [], rows },
      ])
      const [values] = await lab.backend.checkpoints.read(
        [C],
        rows.map(({ key }) => key),
      )
      expect(values).toMatchObject({ values: {}, subagentState: null, lastDescriptorSeq: 0 })
      expect((await lab.backend.checkpoints.snapshot(C)).values['subagent']).toEqual(identity)
    })

    test('a session that is gone is skipped', async () => {
      await lab.backend.checkpoints.write([
        { sessionId: toSessionId('gone'), facts: '', faults: [], rows: [] },
      ])
      expect(await lab.backend.checkpoints.read([toSessionId('gone')], ['subagent'])).toEqual([])
    })

    test('what a checkpoint calls alive is over when it is read cold, an open question stays', async () => {
      const outcome = (state: object) => [
        {
          key: 'outcome',
          stateVersion: outcomeUnit.stateVersion,
          seq: 1,
          state: { turn: null, asked: [], children: [], queued: [], ...state },
        },
      ]
      const read = async (state: object) => {
        await lab.backend.checkpoints.write([{ sessionId: C, facts: '', faults: [], rows: outcome(state) }])
        return (await lab.backend.checkpoints.read([C], ['outcome']))[0]?.values['outcome']
      }
      expect(await read({ turn: { kind: 'running' } })).toEqual({ kind: 'interrupted' })
      expect(await read({ turn: { kind: 'completed' }, children: [{ id: 'k', callId: 'c' }] })).toEqual({
        kind: 'interrupted',
      })
      expect(await read({ turn: { kind: 'running' }, asked: ['q'] })).toEqual({
        kind: 'waiting',
        on: 'approval',
      })
    })

    test('a snapshot is the same with a checkpoint anywhere in the log and without one', async () => {
      const events = log([descriptor, ...finishedTurn, ...openTurn])
      await create(childHeader('d', 'p'), events)
      const D = toSessionId('d')
      const { snapshot, header } = await lab.backend.persistence.inspectFolded(D)
      expect(snapshot.values['outcome']).toEqual({ kind: 'interrupted' })
      expect(await lab.backend.checkpoints.snapshot(D)).toEqual(snapshot)
      for (let cut = 0; cut <= events.length; cut += 1) {
        const fold = new Fold(UNITS, header)
        for (const event of events.slice(0, cut)) fold.apply(event)
        await lab.backend.checkpoints.write([
          { sessionId: D, facts: lifecycleFacts(header), faults: [], rows: fold.checkpoint() },
        ])
        expect(await lab.backend.checkpoints.snapshot(D)).toEqual(snapshot)
      }
    })

    test('loading hands over the checkpoint of this life of the id, and no other', async () => {
      const rows = await checkpoint('c')
      expect((await lab.backend.persistence.load(C)).checkpoint.toSorted(byKey)).toEqual(rows.toSorted(byKey))
      await checkpoint('c', { facts: 'another life' })
      expect((await lab.backend.persistence.load(C)).checkpoint).toEqual([])
    })

    test('sessions that wait for an answer are found', async () => {
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
      await create(
        childHeader('w', 'p'),
        log([descriptor, ...finishedTurn.slice(0, 3), said([call('c1')]), asked]),
      )
      await checkpoint('w')
      await checkpoint('c')
      expect(await lab.backend.checkpoints.waiting()).toEqual(['w'])
      await checkpoint('w', { facts: 'another life' })
      expect(await lab.backend.checkpoints.waiting()).toEqual(['w'])
      await lab.backend.persistence.trash(toSessionId('w'))
      expect(await lab.backend.checkpoints.waiting()).toEqual([])
    })
  })
}

function byKey(a: { readonly key: string }, b: { readonly key: string }): number {
  return a.key < b.key ? -1 : 1
}

import { describe, expect, it } from 'vitest'
import { APPROVAL_MODES } from '../../session/approval-mode.ts'
import { continuable, oneShot, viewOf } from '../fixtures/unit-log.ts'
import { identityRecord } from './identity-record.ts'

const route = { provider: 'p', model: 'm' }
const header = (model: string) =>
  ['request/header', { route: { ...route, model }, system: '', tools: [] }] as const

describe('the record that a resume restores', () => {
  it('is empty, and asks, for a session that says nothing', () => {
    expect(viewOf(identityRecord, [])).toEqual({ descriptor: null, route: null, approvalMode: 'ask' })
  })

  it('takes the first own descriptor, however many follow: the creator’s word', () => {
    expect(viewOf(identityRecord, [continuable('First'), continuable('Second'), oneShot()])).toMatchObject({
      descriptor: { mode: 'continuable', label: 'First' },
    })
  })

  it('passes over a malformed descriptor and one of another version', () => {
    const log = [
      ['subagent/descriptor', { version: 2 }],
      ['subagent/descriptor', { version: 3, mode: 'one-shot', provider: 'p' }],
      oneShot('Stands'),
    ] as const
    expect(viewOf(identityRecord, log)).toMatchObject({ descriptor: { label: 'Stands' } })
  })

  it('takes nothing from an inherited prefix', () => {
    const log = [continuable('Parent'), header('parents'), ['approval/policy', { mode: 'allow' }]] as const
    expect(viewOf(identityRecord, log, { seedLength: 3 })).toEqual({
      descriptor: null,
      route: null,
      approvalMode: 'ask',
    })
  })

  it('takes the route of the descriptor until a request or a change names one; the last named wins', () => {
    const described = continuable('A', { agentProvider: 'p', agentModel: 'm' })
    expect(viewOf(identityRecord, [described])).toMatchObject({ route })
    expect(viewOf(identityRecord, [header('asked'), described])).toMatchObject({ route: { model: 'asked' } })
    expect(viewOf(identityRecord, [continuable('A', { agentModel: 'm' })])).toMatchObject({ route: null })
    const changed = ['model/changed', { route: { ...route, effort: 'high' }, by: 'person' }] as const
    expect(viewOf(identityRecord, [described, header('asked'), changed])).toMatchObject({
      route: { ...route, effort: 'high' },
    })
  })

  it('keeps what it knows when a route cannot be read', () => {
    expect(viewOf(identityRecord, [header('m'), ['model/changed', { route: 'm2' }]])).toMatchObject({ route })
  })

  it('permits only what the record says in the very words, and asks otherwise', () => {
    const policy = (mode: unknown) => viewOf(identityRecord, [['approval/policy', { mode }]])
    for (const approvalMode of APPROVAL_MODES) expect(policy(approvalMode)).toMatchObject({ approvalMode })
    for (const mode of ['Unattended', 'allow all', null, undefined, { unattended: true }]) {
      expect(policy(mode)).toMatchObject({ approvalMode: 'ask' })
    }
  })

  it('reads the older word for everything within the folder', () => {
    expect(viewOf(identityRecord, [['approval/policy', { mode: 'allow' }]])).toMatchObject({
      approvalMode: 'workspace',
    })
  })

  it('follows the last policy', () => {
    const policies = [
      ['approval/policy', { mode: 'unattended' }],
      ['approval/policy', { mode: 'read-only' }],
    ] as const
    expect(viewOf(identityRecord, policies)).toMatchObject({ approvalMode: 'read-only' })
  })
})

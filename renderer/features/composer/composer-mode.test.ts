import { describe, expect, it } from 'vitest'
import type { Access, SessionDetail } from '#shared/contract/session-shapes.ts'
import { toSessionId } from '#shared/session/ids.ts'
import type { Outcome } from '#shared/session/outcome.ts'
import type { SessionView } from '../../store/session-view.ts'
import type { DetailState } from '../../store/state.ts'
import { statusOf } from '../../store/status-of.ts'
import { composerMode } from './composer-mode.ts'

const id = toSessionId('s1')

function ready(access: Access): DetailState {
  const detail: SessionDetail = {
    header: { version: 1, id, createdAt: 0 },
    label: 'Docs',
    mode: 'continuable',
    activity: 'inactive',
    archived: false,
    access,
    lineage: [],
    hasChildren: false,
    descendants: { total: 0, running: 0, waiting: 0 },
    facts: {},
  }
  return { status: 'ready', detail }
}

function view(outcome: Outcome | null, activity: 'running' | 'inactive'): SessionView {
  return {
    kind: 'session',
    id,
    label: 'Docs',
    isUnnamed: false,
    mode: 'continuable',
    activity,
    status: statusOf({ outcome, activity }),
    facts: { outcome },
    doing: null,
    rollup: { running: 0, waiting: 0 },
    hasChildren: false,
    archived: false,
    warnings: [],
    cwd: null,
    through: null,
  }
}

const restores = { route: null, tools: [], persona: null, cwd: null, approvalMode: 'ask' } as const
const cold: Access = { kind: 'resumable', restores: { ...restores, tools: [] }, problem: null }

describe('what the composer is', () => {
  it('for a cold child: open, with what sending restores', () => {
    const mode = composerMode(ready(cold), view({ kind: 'completed' }, 'inactive'))
    expect(mode).toMatchObject({
      blocked: null,
      turnOpen: false,
      alive: false,
      placeholder: 'Message Docs to resume it',
    })
    expect(mode.restores).toBe(cold)
  })

  it('says why a cold child cannot be resumed', () => {
    const access: Access = { ...cold, problem: 'Its folder is gone.' }
    expect(composerMode(ready(access), view(null, 'inactive')).blocked).toBe('Its folder is gone.')
  })

  it('queues only while a turn is open: waiting for children, a message starts a turn', () => {
    const access: Access = { kind: 'open' }
    expect(composerMode(ready(access), view({ kind: 'running' }, 'running')).turnOpen).toBe(true)
    expect(composerMode(ready(access), view({ kind: 'waiting', on: 'approval' }, 'running')).turnOpen).toBe(
      true,
    )
    const waits = composerMode(ready(access), view({ kind: 'waiting', on: 'children' }, 'running'))
    expect(waits).toMatchObject({ turnOpen: false, alive: true })
  })

  it('never takes a dead session for a running one', () => {
    expect(composerMode(ready(cold), view({ kind: 'running' }, 'inactive'))).toMatchObject({
      turnOpen: false,
      alive: false,
    })
  })

  it('offers to try again what was cut short, and nothing else', () => {
    const canRetry = (outcome: Outcome | null, access: Access = cold) =>
      composerMode(ready(access), view(outcome, 'inactive')).canRetry
    const failed: Outcome = { kind: 'failed', code: 'X', message: 'x', retryable: true }
    expect(
      [failed, { kind: 'limited' }, { kind: 'interrupted' }, { kind: 'running' }].map(one =>
        canRetry(one as Outcome),
      ),
    ).toEqual([true, true, true, true])
    expect(
      [null, { kind: 'completed' }, { kind: 'cancelled', by: 'user' }].map(one =>
        canRetry(one as Outcome | null),
      ),
    ).toEqual([false, false, false])
    expect(canRetry(failed, { kind: 'read-only', reason: 'One-shot.', canFork: true })).toBe(false)
    expect(composerMode(ready({ kind: 'open' }), view({ kind: 'running' }, 'running')).canRetry).toBe(false)
  })

  it('does not call a session read only while it is still being read', () => {
    const mode = composerMode({ status: 'loading' }, null)
    expect(mode.readOnly).toBeNull()
    expect(mode.blocked).toBe('The session is still being read')
  })
})

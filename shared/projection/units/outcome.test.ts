import { describe, expect, it } from 'vitest'
import {
  asks,
  calls,
  changesOf,
  decides,
  ends,
  person,
  queues,
  starts,
  viewOf,
} from '../fixtures/unit-log.ts'
import { outcome } from './outcome.ts'

const claims = (...messageIds: string[]) => ['inbox/claimed', { messageIds }] as const
const background = (childId: string) => calls(`call-${childId}`, { childId, background: true })
const settled = (childId: string) =>
  ['subagent/settled', { childId, childSeq: 5, label: 'L', outcome: 'completed', text: '' }] as const

const fails = (callId: string, code: string) =>
  ['tool/result', { turn: 1, step: 1, callId, name: 'delegate', status: 'error', code, content: [] }] as const

describe('the outcome', () => {
  it('waits for no child that was not started, but for one of which nobody knows', () => {
    const failed = [starts(), background('c'), fails('call-c', 'DELEGATION_FAILED'), ends()]
    const unknown = [starts(), background('c'), fails('call-c', 'TOOL_OUTCOME_UNKNOWN'), ends()]

    expect(viewOf(outcome, failed)).toEqual({ kind: 'completed' })
    expect(viewOf(outcome, unknown)).toEqual({ kind: 'waiting', on: 'children' })
  })

  it('is none before the first turn, and running inside one', () => {
    expect(viewOf(outcome, [person('hello')])).toBeNull()
    expect(viewOf(outcome, [starts()])).toEqual({ kind: 'running' })
  })

  it.each([
    [{ kind: 'completed' }, { kind: 'completed' }],
    [
      { kind: 'aborted', by: 'user' },
      { kind: 'cancelled', by: 'user' },
    ],
    [
      { kind: 'aborted', by: 'parent' },
      { kind: 'cancelled', by: 'parent' },
    ],
    [
      { kind: 'aborted', by: 'disposed' },
      { kind: 'cancelled', by: 'disposed' },
    ],
    [{ kind: 'aborted', by: 'limit' }, { kind: 'limited' }],
    [{ kind: 'interrupted' }, { kind: 'interrupted' }],
    [
      { kind: 'max-tokens' },
      { kind: 'failed', code: 'MAX_TOKENS', retryable: true, message: expect.any(String) },
    ],
    [{ kind: 'blocked' }, { kind: 'failed', code: 'BLOCKED', retryable: false, message: expect.any(String) }],
    [
      { kind: 'error', code: 'X', message: 'No.', retryable: true },
      { kind: 'failed', code: 'X', message: 'No.', retryable: true },
    ],
    [{ kind: 'never heard of' }, { kind: 'interrupted' }],
  ])('of a turn that ended %o is %o', (reason, expected) => {
    expect(viewOf(outcome, [starts(), ends(reason)])).toEqual(expected)
  })

  it('is that of the latest turn', () => {
    expect(viewOf(outcome, [starts(), ends({ kind: 'interrupted' }), starts(2), ends()])).toEqual({
      kind: 'completed',
    })
  })

  it('is waiting for approval while a question is open, also after others were decided', () => {
    expect(viewOf(outcome, [starts(), asks('q'), asks('r'), decides('q')])).toEqual({
      kind: 'waiting',
      on: 'approval',
    })
    expect(viewOf(outcome, [starts(), asks('q'), decides('q')])).toEqual({ kind: 'running' })
    expect(viewOf(outcome, [starts(), asks('q'), ends({ kind: 'aborted', by: 'user' })])).toEqual({
      kind: 'cancelled',
      by: 'user',
    })
  })

  it('is waiting for children once a completed turn left some in the background, until the last has settled', () => {
    const log = [starts(), background('c1'), background('c2'), ends()]
    expect(viewOf(outcome, log)).toEqual({ kind: 'waiting', on: 'children' })
    expect(viewOf(outcome, [...log, settled('c1')])).toEqual({ kind: 'waiting', on: 'children' })
    expect(viewOf(outcome, [...log, settled('c1'), settled('c2')])).toEqual({ kind: 'completed' })
  })

  it('does not wait for a child whose result the turn itself awaited', () => {
    const foreground = calls('x', { childId: 'c', background: false })
    expect(viewOf(outcome, [starts(), foreground, ends()])).toEqual({ kind: 'completed' })
  })

  it('of a failed turn stays failed, whatever still runs below it', () => {
    const log = [starts(), background('c1'), ends({ kind: 'aborted', by: 'user' })]
    expect(viewOf(outcome, log)).toEqual({ kind: 'cancelled', by: 'user' })
  })

  it('is queued while a message waits for a turn', () => {
    expect(viewOf(outcome, [queues('m')])).toEqual({ kind: 'queued' })
    expect(viewOf(outcome, [starts(), ends(), queues('m')])).toEqual({ kind: 'queued' })
    expect(viewOf(outcome, [starts(), queues('m')])).toEqual({ kind: 'running' })
    expect(viewOf(outcome, [queues('m'), claims('m'), starts(), ends()])).toEqual({ kind: 'completed' })
  })

  it('is not inherited', () => {
    expect(viewOf(outcome, [starts(), ends()], { seedLength: 2 })).toBeNull()
  })

  it('is not changed by answers, claims and settlements of what it does not know', () => {
    expect(changesOf(outcome, [starts(), decides('q'), claims('m'), settled('c'), calls('a')])).toEqual([0])
  })
})

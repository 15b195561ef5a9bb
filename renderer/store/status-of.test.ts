import { describe, expect, it } from 'vitest'
import type { Outcome } from '#shared/session/outcome.ts'
import type { Activity } from '#shared/subagent/catalog-entry.ts'
import { statusOf } from './status-of.ts'

const failed: Outcome = { kind: 'failed', code: 'X', message: 'x', retryable: false }

describe('status of a row', () => {
  it.each<[Outcome | null | undefined, Activity | undefined, string, string]>([
    [null, 'inactive', 'ready', 'ready'],
    [undefined, undefined, 'ready', 'ready'],
    [{ kind: 'queued' }, 'inactive', 'queued', 'queued'],
    [{ kind: 'running' }, 'running', 'running', 'running'],
    [{ kind: 'waiting', on: 'children' }, 'running', 'running', 'running'],
    [{ kind: 'waiting', on: 'approval' }, 'running', 'waiting for approval', 'waiting'],
    [{ kind: 'waiting', on: 'approval' }, 'inactive', 'waiting for approval', 'waiting'],
    [{ kind: 'completed' }, 'inactive', 'completed', 'done'],
    [{ kind: 'completed' }, 'running', 'completed', 'done'],
    [failed, 'inactive', 'failed', 'failed'],
    [{ kind: 'cancelled', by: 'parent' }, 'inactive', 'stopped', 'stopped'],
    [{ kind: 'limited' }, 'inactive', 'limit reached', 'stopped'],
    [{ kind: 'interrupted' }, 'inactive', 'interrupted', 'interrupted'],
  ])('says of %j while %s: %s', (outcome, activity, word, mark) => {
    expect(statusOf({ outcome, activity })).toMatchObject({ word, mark })
  })

  it('never shows as running what no process hosts', () => {
    expect(statusOf({ outcome: { kind: 'running' }, activity: 'inactive' }).word).toBe('interrupted')
    expect(statusOf({ outcome: { kind: 'waiting', on: 'children' }, activity: 'inactive' }).word).toBe(
      'interrupted',
    )
  })

  it('marks a completion as new until it was seen, with the same word', () => {
    const status = statusOf({ outcome: { kind: 'completed' }, activity: 'inactive', seen: false })
    expect(status).toMatchObject({ state: 'completed', word: 'completed', mark: 'doneNew' })
  })
})

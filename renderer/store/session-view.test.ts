import { describe, expect, it } from 'vitest'
import type { SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import { fixtureId } from '../gallery/fixture-ids.ts'
import { secondLine } from './row-words.ts'
import { elapsedMs, isTicking, type SessionView, viewOf, waitsSince } from './session-view.ts'
import { INITIAL_STATE } from './state.ts'

const id = fixtureId('/child')

function viewFrom(entry: Partial<SubagentListEntry>): SessionView {
  const whole = { kind: 'child', id, mode: 'continuable', label: 'Child', hasChildren: false, ...entry }
  const view = viewOf(
    { ...INITIAL_STATE, entries: new Map([[id, { activity: 'inactive', ...whole } as SubagentListEntry]]) },
    id,
  )
  if (view?.kind !== 'session') throw new Error('the fixture is no child')
  return view
}

describe('the time of a row', () => {
  it('of one that waits for its children is how long it has done nothing else', () => {
    const facts = {
      outcome: { kind: 'waiting', on: 'children' },
      timing: { settledMs: 6000, runningSince: null },
      lastActivity: 50_000,
    } as const
    expect(waitsSince(viewFrom({ activity: 'running', facts }))).toBe(50_000)
    expect(waitsSince(viewFrom({ activity: 'inactive', facts }))).toBeNull()
  })

  it('stands still for a child that no process hosts, though its question is still open', () => {
    const facts = {
      outcome: { kind: 'waiting', on: 'approval' },
      timing: { settledMs: 1000, runningSince: 10_000 },
    } as const
    const view = viewFrom({ activity: 'inactive', facts })
    expect(elapsedMs(view, 500_000)).toBe(1000)
    expect(isTicking(view)).toBe(false)
    expect(isTicking(viewFrom({ activity: 'running', facts }))).toBe(true)
  })
})

describe('the second line of a row', () => {
  it('warns of a missing folder only where something may still go on', () => {
    const warnings = ['folder-missing' as const]
    const facts = { outcome: { kind: 'completed' } } as const
    expect(secondLine(viewFrom({ warnings, facts }), 0)?.words).toBe('Folder missing')
    expect(secondLine(viewFrom({ warnings, facts, mode: 'one-shot' }), 0)).toBeNull()
  })
})

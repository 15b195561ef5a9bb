import type { SessionSummary } from '#shared/contract/session-shapes.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { SessionFacts, SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import { INITIAL_STATE, type State } from '../store/state.ts'
import { withEntries } from '../store/with-entries.ts'

interface LargeSizes {
  readonly roots: number
  /** All listed: the first root has `widest` of them, other roots share the rest in lists of 500. */
  readonly children: number
  readonly widest: number
}

const FOLDERS = 24
const LISTED_TOGETHER = 500
const LAST_USED = 1_800_000_000_000

/** What a window holds that has listed a great many sessions, as it is after all of them were read. */
export function largeState({ roots, children, widest }: LargeSizes): State {
  const ids = Array.from({ length: roots }, (_, index) => rootId(index))
  const summaries = new Map(ids.map((id, index) => [id, summaryOf(id, index)] as const))
  let state: State = { ...INITIAL_STATE, roots: { status: 'ready', failure: null }, summaries }
  let made = 0
  for (let index = 0; made < children && index < roots; index += 1) {
    const count = Math.min(index === 0 ? widest : LISTED_TOGETHER, children - made)
    state = withEntries(state, rootId(index), entriesOf(made, count), state)
    made += count
  }
  return state
}

export function rootId(index: number): SessionId {
  return idOf('root', index)
}

export function childId(index: number): SessionId {
  return idOf('child', index)
}

function idOf(kind: 'root' | 'child', index: number): SessionId {
  return `0193f5c2-${kind === 'root' ? '0a' : '1b'}00-7000-8000-${String(index).padStart(12, '0')}` as SessionId
}

function summaryOf(id: SessionId, index: number): SessionSummary {
  return {
    header: {
      version: 1,
      id,
      createdAt: LAST_USED - index * 1000,
      cwd: `/home/someone/folder-${index % FOLDERS}`,
    },
    title: `Session ${index} of many`,
    activity: 'inactive',
    hasChildren: index < 100,
    archived: false,
    facts: factsOf(index),
    rollup: { running: 0, waiting: 0 },
  }
}

function entriesOf(from: number, count: number): SubagentListEntry[] {
  return Array.from({ length: count }, (_, offset) => {
    const index = from + offset
    const shared = {
      kind: 'child' as const,
      id: childId(index),
      activity: 'inactive' as const,
      hasChildren: false,
      facts: factsOf(index),
    }
    const label = `Look into part ${index}`
    return index % 2 === 0
      ? { ...shared, mode: 'continuable', label }
      : { ...shared, mode: 'one-shot', label }
  })
}

function factsOf(index: number): SessionFacts {
  return {
    outcome:
      index % 9 === 0
        ? { kind: 'failed', code: 'MODEL_FAILED', message: '', retryable: false }
        : { kind: 'completed' },
    timing: { settledMs: 1000 + index, runningSince: null },
    tokens: 1000 + index,
    costUsd: 0.01,
    model: 'rehearsal-1',
    lastActivity: LAST_USED - index * 1000,
  }
}

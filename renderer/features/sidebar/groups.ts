import type { SessionSummary } from '#shared/contract/session-shapes.ts'
import type { PendingApproval } from '#shared/contract.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { type SessionView, viewOf } from '../../store/session-view.ts'
import type { State } from '../../store/state.ts'
import { folderName } from '../../ui/format.ts'

export interface Group {
  /** 'needs', 'working', 'archived', or the folder's path behind 'folder:'. */
  readonly key: string
  readonly label: string
  readonly tone: 'plain' | 'needs'
  readonly roots: readonly SessionId[]
  /** Children that ask, shown a second time where they cannot be missed. */
  readonly asking: readonly PendingApproval[]
}

/** Every root stands in exactly one group: what needs the person first, then what works, then by folder. */
export function groupsOf(state: State): readonly Group[] {
  const needs: SessionId[] = []
  const working: SessionId[] = []
  const archived: SessionId[] = []
  const folders = new Map<string, SessionId[]>()
  for (const id of sortedRoots(state.summaries, state.sort)) {
    const view = viewOf(state, id)
    if (view?.kind !== 'session') continue
    if (view.archived) archived.push(id)
    else if (view.status.state === 'waiting') needs.push(id)
    else if (isWorking(view)) working.push(id)
    else listIn(folders, view.cwd ?? '').push(id)
  }
  const asking = state.approvals.filter(({ sessionId, rootId }) => sessionId !== rootId)
  const waitingRoots = state.approvals.map(({ sessionId }) => sessionId).filter(id => needs.includes(id))
  const needsInOrder = [...new Set([...waitingRoots, ...needs])]
  return [
    {
      key: 'needs',
      label: 'Needs you',
      tone: 'needs' as const,
      roots: needsInOrder,
      asking: oneEach(asking),
    },
    { key: 'working', label: 'Working', tone: 'plain' as const, roots: working, asking: [] },
    ...folderGroups(folders),
    { key: 'archived', label: 'Archived', tone: 'plain' as const, roots: archived, asking: [] },
  ].filter(({ roots, asking: children }) => roots.length + children.length > 0)
}

function isWorking({ status, rollup }: SessionView): boolean {
  return status.state === 'running' || status.state === 'queued' || rollup.running > 0 || rollup.waiting > 0
}

function folderGroups(folders: ReadonlyMap<string, SessionId[]>): Group[] {
  const names = new Map<string, number>()
  for (const path of folders.keys()) names.set(folderName(path), (names.get(folderName(path)) ?? 0) + 1)
  return [...folders].map(([path, roots]) => ({
    key: `folder:${path}`,
    label: path === '' ? 'No folder' : (names.get(folderName(path)) ?? 0) > 1 ? path : folderName(path),
    tone: 'plain',
    roots,
    asking: [],
  }))
}

/** A child with two questions has one row: it is the child that needs the person. */
function oneEach(asking: readonly PendingApproval[]): readonly PendingApproval[] {
  const met = new Set<SessionId>()
  return asking.filter(({ sessionId }) => !met.has(sessionId) && met.add(sessionId))
}

interface Sorted {
  readonly sort: State['sort']
  readonly ids: readonly SessionId[]
}
const sorted = new WeakMap<ReadonlyMap<SessionId, SessionSummary>, Sorted>()

/** By what the list said, so that rows keep their places while states change. */
function sortedRoots(
  summaries: ReadonlyMap<SessionId, SessionSummary>,
  sort: State['sort'],
): readonly SessionId[] {
  const held = sorted.get(summaries)
  if (held?.sort === sort) return held.ids
  const all = [...summaries.values()]
  if (sort === 'title') all.sort((one, other) => (one.title ?? '').localeCompare(other.title ?? ''))
  else all.sort((one, other) => lastActivity(other) - lastActivity(one))
  const ids = all.map(({ header }) => header.id)
  sorted.set(summaries, { sort, ids })
  return ids
}

function lastActivity({ facts, header }: SessionSummary): number {
  return facts.lastActivity ?? header.createdAt
}

function listIn(map: Map<string, SessionId[]>, key: string): SessionId[] {
  const list = map.get(key) ?? []
  map.set(key, list)
  return list
}

import type { SessionSummary } from '#shared/contract/session-shapes.ts'
import type { PendingApproval } from '#shared/contract.ts'
import type { SessionId } from '#shared/session/ids.ts'
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

const NONE: readonly never[] = []

/** Every root stands in exactly one group: what needs the person first, then what works, then by folder. */
export function groupsOf(
  { summaries, sort, approvals }: State,
  groupOf: (id: SessionId) => string | null,
): readonly Group[] {
  const byKey = new Map<string, SessionId[]>()
  for (const id of sortedRoots(summaries, sort)) {
    const key = groupOf(id)
    if (key !== null) listIn(byKey, key).push(id)
  }
  const needs = inOrderOfAsking(byKey.get('needs') ?? NONE, approvals)
  const asking = oneEach(approvals.filter(({ sessionId, rootId }) => sessionId !== rootId))
  const plain = (key: string, label: string): Group => ({
    key,
    label,
    tone: 'plain',
    roots: byKey.get(key) ?? NONE,
    asking: NONE,
  })
  const folders = [...byKey.keys()].filter(key => key.startsWith(FOLDER))
  const labels = folderLabels(folders)
  const groups: readonly Group[] = [
    { key: 'needs', label: 'Needs you', tone: 'needs', roots: needs, asking },
    plain('working', 'Working'),
    ...folders.map(key => plain(key, labels.get(key) ?? key)),
    plain('archived', 'Archived'),
  ]
  return groups.filter(group => group.roots.length + group.asking.length > 0)
}

const FOLDER = 'folder:'

/** Two folders of one name are told apart by their paths. */
function folderLabels(keys: readonly string[]): ReadonlyMap<string, string> {
  const times = new Map<string, number>()
  const nameOf = (key: string) => folderName(key.slice(FOLDER.length))
  for (const key of keys) times.set(nameOf(key), (times.get(nameOf(key)) ?? 0) + 1)
  return new Map(
    keys.map(key => {
      const path = key.slice(FOLDER.length)
      const isShared = (times.get(nameOf(key)) ?? 0) > 1
      return [key, path === '' ? 'No folder' : isShared ? path : nameOf(key)]
    }),
  )
}

/** Those whose question is known first, as they asked. */
function inOrderOfAsking(
  roots: readonly SessionId[],
  approvals: readonly PendingApproval[],
): readonly SessionId[] {
  const waiting = new Set(roots)
  const asked = approvals.map(({ sessionId }) => sessionId).filter(id => waiting.has(id))
  return [...new Set([...asked, ...roots])]
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
  if (sort === 'title') all.sort((one, other) => TITLES.compare(one.title ?? '', other.title ?? ''))
  else all.sort((one, other) => lastActivity(other) - lastActivity(one))
  const ids = all.map(({ header }) => header.id)
  sorted.set(summaries, { sort, ids })
  return ids
}

/** Made once: to compare by the locale anew each time takes 5,000 titles 60 times as long. */
const TITLES = new Intl.Collator()

function lastActivity({ facts, header }: SessionSummary): number {
  return facts.lastActivity ?? header.createdAt
}

function listIn(map: Map<string, SessionId[]>, key: string): SessionId[] {
  const list = map.get(key) ?? []
  map.set(key, list)
  return list
}

import type { SessionRows } from '../logs.ts'
import type { ListFilter } from '../persistence.ts'
import type { FolderLogs } from './folder-logs.ts'
import type { Marks } from './marks.ts'
import type { Entry, FolderRow, SessionFolders } from './session-folders.ts'

/** Which sessions a listing shows: from the headers in memory. */
export function createListedFolders(
  folders: SessionFolders,
  logs: FolderLogs,
  marks: Marks,
): SessionRows<FolderRow> {
  const isThere = ({ id }: Entry): boolean => !marks.trashed.has(id)

  function chosen(filter: ListFilter): Entry[] {
    switch (filter.kind) {
      case 'roots':
        return [...folders.all()].filter(entry => entry.place.origin === null && isThere(entry))
      case 'children':
        return [...folders.childrenOf(filter.parent)].filter(
          entry => entry.place.origin === 'subagent' && isThere(entry),
        )
      case 'tree':
        return below(filter.root)
      case 'all':
        return [...folders.all()].filter(isThere)
    }
  }

  function below(root: string): Entry[] {
    const found = new Map<string, Entry>()
    const pending = [root]
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      for (const child of folders.childrenOf(id)) {
        if (found.has(child.id) || !isThere(child)) continue
        found.set(child.id, child)
        pending.push(child.id)
      }
    }
    found.delete(root)
    return [...found.values()]
  }

  return {
    *rows(filter) {
      for (const entry of chosen(filter).toSorted(byCreation)) {
        const row = logs.row(entry)
        // A session without events is not listed yet: nothing was said in it.
        if (row.end_seq > 0 || row.problem !== null) yield row
      }
    },
    *unreadable() {
      for (const entry of folders.all()) {
        const isUnreadable = entry.header.kind === 'unreadable' || entry.log?.failed === true
        if (isUnreadable && isThere(entry)) yield logs.row(entry)
      }
    },
  }
}

/** By time, then id by code unit. */
export function byCreation(a: Entry, b: Entry): number {
  if (a.place.createdAt !== b.place.createdAt) return a.place.createdAt - b.place.createdAt
  if (a.id === b.id) return 0
  return a.id < b.id ? -1 : 1
}

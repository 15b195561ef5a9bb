import { useMemo } from 'react'
import { isSessionId, type SessionId } from '#shared/session/ids.ts'
import { expandAll, openSession, setExpanded, showOverlay, toggleGroup } from '../../store/actions.ts'
import type { App } from '../../store/app.ts'
import { useApp } from '../../store/app-context.tsx'
import { archiveSession, trashSession } from '../../store/put-away.ts'
import type { Row, TreeRow } from './row.ts'
import type { TreeCommand } from './tree-keys.ts'

/** What rows call. One object for the life of the tree, so that rows do not render again for it. */
export interface TreeActions {
  /** The pointer is down on it: by the time it is up again what opens may be there. */
  prepare(row: Row): void
  press(row: Row): void
  twist(row: TreeRow): void
  peek(key: string | null): void
}

/** Opens or closes the rows below one. */
export type Expand = (id: SessionId, expanded: boolean) => void

export function useTreeActions(
  setKey: (key: string) => void,
  peek: (key: string | null) => void,
  expand: Expand,
): TreeActions {
  const app = useApp()
  return useMemo(
    () => ({
      prepare: row => {
        if (row.kind !== 'session') return
        // The rows that open stand beside what is looked at: they are on their way first, and a leaf has none.
        const opensRows = row.expanded === false && !app.store.getState().lists.has(row.id)
        if (opensRows) void app.children.load(row.id)
        setTimeout(() => void app.transcripts.open(row.id))
      },
      press: row => {
        setKey(row.key)
        activate(app, row)
      },
      twist: row => {
        setKey(row.key)
        expand(row.id, row.expanded !== true)
      },
      peek,
    }),
    [app, setKey, peek, expand],
  )
}

/** A press or Enter: a session opens and shows its children, anything else does the one thing it is for. */
export function activate(app: App, row: Row): void {
  switch (row.kind) {
    case 'session':
      openSession(app, row.id)
      if (row.expanded === false) setExpanded(app, row.id, true)
      break
    case 'diagnostic':
      openSession(app, row.id)
      break
    case 'group':
      toggleGroup(app, row.group)
      break
    case 'more':
      app.store.setState(({ fullGroups }) => ({ fullGroups: new Set(fullGroups).add(row.group) }))
      break
    case 'failed':
      void app.children.load(row.parentId)
      break
    case 'record':
      if (isSessionId(row.id)) openSession(app, row.id)
      break
    case 'loading':
      break
  }
}

/** What the keys ask of a row. Renaming and putting away are for roots: a child's label is its identity. */
export function runOnRow(
  app: App,
  command: Exclude<TreeCommand, { kind: 'focus' | 'peek' }>,
  expand: Expand,
): void {
  if (command.kind === 'expand-all') {
    expandAll(
      app,
      command.rows.map(({ id }) => id),
    )
    return
  }
  const { row } = command
  if (command.kind === 'open') {
    activate(app, row)
    return
  }
  if (row.kind === 'group') {
    if (command.kind === 'expand' || command.kind === 'collapse') toggleGroup(app, row.group)
    return
  }
  if (row.kind !== 'session') return
  if (command.kind === 'expand' || command.kind === 'collapse') {
    expand(row.id, command.kind === 'expand')
    return
  }
  if (!app.store.getState().summaries.has(row.id)) return
  if (command.kind === 'rename') showOverlay(app, { kind: 'rename', sessionId: row.id })
  else if (command.kind === 'trash') void trashSession(app, row.id)
  else void archiveSession(app, row.id)
}

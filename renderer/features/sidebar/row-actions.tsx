import { useMemo } from 'react'
import {
  forkSession,
  openSession,
  resumeSession,
  showOverlay,
  stopSession,
  stopTree,
} from '../../store/actions.ts'
import type { App } from '../../store/app.ts'
import { useApp } from '../../store/app-context.tsx'
import { archiveSession, trashSession, unarchiveSession } from '../../store/put-away.ts'
import { labelOf } from '../../store/row-words.ts'
import type { AnyView } from '../../store/session-view.ts'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import type { TreeRow } from './row.ts'
import styles from './tree-row.module.css'

/** Drawn over the numbers while the row is hovered or has the focus. The row is the control: a press stays here. */
export function RowActions({ view, row }: { readonly view: AnyView; readonly row: TreeRow }) {
  const app = useApp()
  const main = useMemo(() => mainAction(app, view), [app, view])
  const label = labelOf(view)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: only keeps a press on a button from being one on the row
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <span className={styles.actions} onClick={event => event.stopPropagation()}>
      <Button
        size="small"
        className={styles.word}
        tabIndex={-1}
        aria-label={`${main.word} ${label}`}
        onClick={main.run}
      >
        {main.word}
      </Button>
      <Menu
        align="end"
        trigger={
          <IconButton
            icon="more"
            size="small"
            label={`More for ${label}`}
            className={styles.more}
            tabIndex={-1}
          />
        }
      >
        <MoreItems view={view} row={row} />
      </Menu>
    </span>
  )
}

interface MainAction {
  readonly word: 'Resume' | 'Stop' | 'Retry' | 'Open'
  readonly run: () => void
}

export function mainAction(app: App, view: AnyView): MainAction {
  const { id } = view
  if (view.kind === 'diagnostic') {
    const parent = app.store.getState().parents.get(id)
    return {
      word: 'Retry',
      run: () => void (parent === undefined ? app.sessions.refreshRoots() : app.children.load(parent)),
    }
  }
  const { state } = view.status
  const alive = state === 'running' || state === 'waiting' || state === 'queued'
  if (alive) return { word: 'Stop', run: () => void stopSession(app, id) }
  if (view.mode === 'continuable') return { word: 'Resume', run: () => resumeSession(app, id) }
  return { word: 'Open', run: () => openSession(app, id) }
}

function MoreItems({ view, row }: { readonly view: AnyView; readonly row: TreeRow }) {
  const app = useApp()
  const { id } = view
  const copyId = () => void navigator.clipboard.writeText(id)
  if (view.kind === 'diagnostic') {
    return (
      <>
        <MenuItem icon="list" onSelect={() => openSession(app, id)}>
          Open
        </MenuItem>
        <MenuItem icon="down" onSelect={() => showOverlay(app, { kind: 'export', sessionId: id })}>
          Export…
        </MenuItem>
        <MenuItem icon="copy" onSelect={copyId}>
          Copy id
        </MenuItem>
      </>
    )
  }
  const isRoot = view.mode === 'session'
  return (
    <>
      <MenuItem icon="list" onSelect={() => openSession(app, id)}>
        Open
      </MenuItem>
      <MenuItem icon="branch" onSelect={() => void forkSession(app, id)}>
        Continue in a new session
      </MenuItem>
      {(row.expanded !== null || view.rollup.running > 0) && (
        <MenuItem icon="stop" onSelect={() => void stopTree(app, id)}>
          Stop with all children
        </MenuItem>
      )}
      <MenuItem icon="down" onSelect={() => showOverlay(app, { kind: 'export', sessionId: id })}>
        Export…
      </MenuItem>
      <MenuItem icon="copy" onSelect={copyId}>
        Copy id
      </MenuItem>
      {isRoot && <MenuSeparator />}
      {isRoot && (
        <MenuItem
          icon="pencil"
          keys={['F2']}
          onSelect={() => showOverlay(app, { kind: 'rename', sessionId: id })}
        >
          Rename
        </MenuItem>
      )}
      {isRoot && !view.archived && (
        <MenuItem icon="archive" keys={['Del']} onSelect={() => void archiveSession(app, id)}>
          Archive
        </MenuItem>
      )}
      {isRoot && view.archived && (
        <MenuItem icon="archive" onSelect={() => void unarchiveSession(app, id)}>
          Bring back
        </MenuItem>
      )}
      {isRoot && (
        <MenuItem icon="trash" keys={['Shift', 'Del']} onSelect={() => void trashSession(app, id)}>
          Move to trash
        </MenuItem>
      )}
    </>
  )
}

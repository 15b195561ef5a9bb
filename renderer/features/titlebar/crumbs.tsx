import { Fragment } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { SessionId } from '#shared/session/ids.ts'
import { newSession, openFolder, openSession } from '../../store/actions.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { labelOf } from '../../store/row-words.ts'
import { lineageOf, selectDetail } from '../../store/selectors.ts'
import { type AnyView, viewOf } from '../../store/session-view.ts'
import type { State } from '../../store/state.ts'
import { folderName } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { Menu, MenuHead, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { Siblings } from './siblings.tsx'
import styles from './titlebar.module.css'

/** From the folder over the root down to what is open. Each crumb is a menu of its siblings. */
export function Crumbs({ sessionId }: { readonly sessionId: SessionId }) {
  const path = useWorkbench(useShallow(state => lineageOf(state, sessionId)))
  const cwd = useWorkbench(state => cwdOf(state, sessionId, path[0]))
  const steps = path.length > 4 ? [path[0], null, ...path.slice(-2)] : path
  return (
    <nav className={styles.crumbs} aria-label="Breadcrumb">
      {cwd !== null && path.length === 1 && (
        <>
          <FolderCrumb cwd={cwd} />
          <Separator />
        </>
      )}
      {steps.map((step, index) => (
        <Fragment key={step ?? 'left-out'}>
          {index > 0 && <Separator />}
          {step === null || step === undefined ? (
            <span className={styles.leftOut} title={`${path.length - 3} more`}>
              …
            </span>
          ) : (
            <Crumb id={step} isCurrent={step === sessionId} />
          )}
        </Fragment>
      ))}
    </nav>
  )
}

function Separator() {
  return (
    <span className={styles.separator} aria-hidden="true">
      /
    </span>
  )
}

function FolderCrumb({ cwd }: { readonly cwd: string }) {
  const app = useApp()
  return (
    <Menu
      trigger={
        <button type="button" className={styles.crumb} title={cwd}>
          <Icon name="folder" size={14} />
          <span>{folderName(cwd)}</span>
        </button>
      }
    >
      <MenuHead>{cwd}</MenuHead>
      <MenuItem icon="plus" onSelect={() => void newSession(app, cwd)}>
        New session here
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon="folder" onSelect={() => void openFolder(app)}>
        Open another folder
      </MenuItem>
    </Menu>
  )
}

function Crumb({ id, isCurrent }: { readonly id: SessionId; readonly isCurrent: boolean }) {
  const app = useApp()
  const view = useWorkbench(state => viewOf(state, id))
  const detail = useWorkbench(selectDetail(id))
  const known = useWorkbench(state => stepLabel(state, id))
  const label = view === null ? (detail?.label ?? known) : labelOf(view)
  const isChild = useWorkbench(state => state.parents.has(id))
  return (
    <Menu
      width={300}
      trigger={
        <button
          type="button"
          className={isCurrent ? `${styles.crumb} ${styles.current}` : styles.crumb}
          {...(isCurrent && { 'aria-current': 'page' as const })}
        >
          {view !== null && isCurrent && isChild && <StatusMark kind={markOf(view)} />}
          <span dir="auto">{label}</span>
          <Icon name="chevronDown" size={10} className={styles.crumbMenu} />
        </button>
      }
    >
      {!isCurrent && (
        <>
          <MenuItem icon="arrowRight" onSelect={() => openSession(app, id)}>
            Open {label}
          </MenuItem>
          <MenuSeparator />
        </>
      )}
      <Siblings id={id} />
    </Menu>
  )
}

function markOf(view: AnyView) {
  return view.kind === 'diagnostic' ? 'unreadable' : view.status.mark
}

/** What the detail of an open descendant says of an ancestor that is not listed yet. */
function stepLabel(state: State, id: SessionId): string {
  for (const held of state.details.values()) {
    if (held.status !== 'ready') continue
    const step = held.detail.lineage.find(one => one.id === id)
    if (step !== undefined) return step.label
  }
  return '…'
}

function cwdOf(state: State, id: SessionId, root: SessionId | undefined): string | null {
  const detail = state.details.get(id)
  if (detail?.status === 'ready') return detail.detail.header.cwd ?? null
  return root === undefined ? null : (state.summaries.get(root)?.header.cwd ?? null)
}

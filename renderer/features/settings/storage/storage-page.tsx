import { useMemo } from 'react'
import { errorText } from '../../../app/error-text.ts'
import { dismissProblem } from '../../../store/actions.ts'
import { useApp, useWorkbench } from '../../../store/app-context.tsx'
import { Button } from '../../../ui/button.tsx'
import { formatBytes, formatCount } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { PageHead } from '../page-head.tsx'
import { BackupList } from './backup-list.tsx'
import { BiggestTrees } from './biggest-trees.tsx'
import { Compact } from './compact.tsx'
import { DataFolder } from './data-folder.tsx'
import styles from './storage.module.css'
import { TrashList } from './trash-list.tsx'
import { UsageBar } from './usage-bar.tsx'
import { type StorageLook, useStorage } from './use-storage.ts'

/** What uses space, and what can be brought back or deleted for good. */
export function StoragePage({ restore }: { readonly restore: string | null }) {
  const look = useStorage()
  const { state, trashed, again } = look
  const usage = state?.usage ?? null
  const trashBytes = useMemo(() => new Map(usage?.trash.map(({ id, bytes }) => [id, bytes])), [usage])
  const measuring = state?.measuring !== null
  return (
    <>
      <PageHead
        title="Storage"
        text="All of it is in one folder of this computer. Nothing is deleted by itself."
        action={
          <Button
            size="small"
            icon="retry"
            disabledReason={measuring ? 'it is being measured' : null}
            onClick={again}
          >
            Measure again
          </Button>
        }
      />
      <NotDone />
      <Status look={look} />
      {usage !== null && <UsageBar usage={usage} />}
      {usage !== null && <BiggestTrees usage={usage} />}
      {trashed !== null && <TrashList trashed={trashed} bytes={trashBytes} onChanged={again} />}
      <BackupList restore={restore} onChanged={again} />
      {usage !== null && <Compact usage={usage} onChanged={again} />}
      <DataFolder />
    </>
  )
}

/** What a press in here could not do: the banner that says it lies under this dialog. */
function NotDone() {
  const app = useApp()
  const problem = useWorkbench(state => state.problem)
  if (problem === null) return null
  const { title, failure } = problem
  const { what, todo } = errorText(failure.code)
  return (
    <div className={styles.notDone} role="alert">
      <span>
        <b>{title}.</b> {failure.code === 'STORE_UNAVAILABLE' ? failure.detail : what} {todo}
      </span>
      <IconButton icon="x" size="small" label="Dismiss" onClick={() => dismissProblem(app)} />
    </div>
  )
}

/** One line: the total, or how far the measuring is, or why there is none. */
function Status({ look: { state, failure } }: { readonly look: StorageLook }) {
  const usage = state?.usage ?? null
  const problem =
    failure === null ? (state?.problem ?? null) : `${errorText(failure.code).what} ${failure.detail}`
  if (problem !== null) {
    return (
      <p className={styles.problem} role="alert">
        The space could not be measured. {problem}
      </p>
    )
  }
  const measuring = state?.measuring ?? null
  return (
    <p className={styles.total} role="status">
      {usage !== null && (
        <>
          <b>{formatBytes(usage.total)}</b> used, {formatBytes(usage.diskFree)} free on this disk
        </>
      )}
      {usage === null && (measuring === null || measuring.sessions === 0) && 'Measuring…'}
      {measuring !== null && measuring.sessions > 0 && (
        <span className={styles.aside}>
          {usage === null ? 'Measuring' : ' · measuring'} {formatCount(measuring.measured)} of{' '}
          {formatCount(measuring.sessions)} sessions
        </span>
      )}
    </p>
  )
}

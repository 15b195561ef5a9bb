import { useState } from 'react'
import type { ImportReport } from '#shared/contract.ts'
import { errorText } from '../../app/error-text.ts'
import { closeOverlay, openSession } from '../../store/actions.ts'
import { useApp } from '../../store/app-context.tsx'
import { type Failure, failureOf } from '../../store/failure.ts'
import { useCall } from '../../store/use-call.ts'
import { Button } from '../../ui/button.tsx'
import { plural } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { PageHead } from './page-head.tsx'
import styles from './settings.module.css'

type Run =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly path: string }
  | { readonly kind: 'done'; readonly reports: readonly ImportReport[] }
  | { readonly kind: 'failed'; readonly failure: Failure }

export function ImportPage() {
  const app = useApp()
  const found = useCall('imports', signal => app.client.imports.find(undefined, { signal }))
  const [run, setRun] = useState<Run>({ kind: 'idle' })
  const [path, setPath] = useState('')
  const sources = found.status === 'ready' ? found.value.sources : []

  async function start(from: string): Promise<void> {
    setRun({ kind: 'running', path: from })
    try {
      const { reports } = await app.client.imports.run({ paths: [from] })
      setRun({ kind: 'done', reports })
      await app.sessions.refreshRoots()
    } catch (error) {
      setRun({ kind: 'failed', failure: failureOf(error) })
    }
  }

  const busy = run.kind === 'running' ? 'another import is running' : null
  return (
    <>
      <PageHead title="Import" text="Histories of other tools are copied. Their files are only read." />
      <ul className={styles.providers} aria-busy={found.status === 'loading'}>
        {sources.map(source => (
          <li key={source.path} className={styles.provider}>
            <Icon name="down" />
            <span className={styles.providerName}>
              <b>{source.tool}</b>
              <small>{source.path}</small>
            </span>
            <span className={styles.providerState}>{plural(source.sessions, 'session')}</span>
            <Button
              size="small"
              aria-label={`Import from ${source.tool}`}
              disabledReason={busy}
              onClick={() => void start(source.path)}
            >
              Import
            </Button>
          </li>
        ))}
        {sources.length === 0 && (
          <li className={styles.nothing}>
            {found.status === 'loading'
              ? 'Looking for other tools…'
              : 'No other tool was found on this computer.'}
          </li>
        )}
      </ul>
      <form
        className={styles.fromPath}
        onSubmit={event => {
          event.preventDefault()
          if (path.trim() !== '' && busy === null) void start(path.trim())
        }}
      >
        <TextField
          aria-label="File or folder to import"
          placeholder="Or the path of a file or folder"
          value={path}
          onChange={event => setPath(event.target.value)}
          spellCheck={false}
        />
        <Button type="submit" disabledReason={busy ?? (path.trim() === '' ? 'a path is needed' : null)}>
          Import
        </Button>
      </form>
      <Outcome
        run={run}
        onOpen={id => {
          closeOverlay(app)
          openSession(app, id)
        }}
      />
    </>
  )
}

interface OutcomeProps {
  readonly run: Run
  readonly onOpen: (id: ImportReport['roots'][number]) => void
}

function Outcome({ run, onOpen }: OutcomeProps) {
  if (run.kind === 'idle') return null
  if (run.kind === 'running') {
    return (
      <p className={styles.result} role="status">
        Reading {run.path}…
      </p>
    )
  }
  if (run.kind === 'failed') {
    const { what, todo } = errorText(run.failure.code)
    return (
      <p className={styles.fieldError} role="alert">
        {what} {todo} {run.failure.detail}
      </p>
    )
  }
  return (
    <div className={styles.result} role="status">
      {run.reports.map(report => (
        <div key={report.source}>
          {plural(report.sessions, 'session')} and {plural(report.children, 'child', 'children')} from{' '}
          {report.source}
          {report.unchanged > 0 && `, ${report.unchanged} were there already`}
          {report.skipped.length > 0 && (
            <details>
              <summary>{plural(report.skipped.length, 'file')} skipped</summary>
              {report.skipped.slice(0, 100).map(({ path, reason }) => (
                <div key={path} className={styles.skipped}>
                  {path}: {reason}
                </div>
              ))}
            </details>
          )}
          {report.roots[0] !== undefined && (
            <Button size="small" onClick={() => report.roots[0] !== undefined && onOpen(report.roots[0])}>
              Open the first
            </Button>
          )}
        </div>
      ))}
    </div>
  )
}

import { useState } from 'react'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import { diagnosticReason } from '#shared/subagent/diagnostic-words.ts'
import { errorText } from '../../app/error-text.ts'
import { forkSession, openSession } from '../../store/actions.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { useNow } from '../../store/clock.ts'
import { Button } from '../../ui/button.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { formatExact, formatTime, plural } from '../../ui/format.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import styles from './damaged-page.module.css'
import { RawRows } from './raw-rows.tsx'
import { cellsOf, damageText, leadOf, readableOf, titleOf } from './report-words.ts'
import { useDiagnosticEntry, useRecordReport } from './use-record-report.ts'

const CELLS = 58

/** Never a dead end: what is wrong, what is left, what can be done. */
export function DamagedPage({ sessionId }: { readonly sessionId: SessionId }) {
  const app = useApp()
  const entry = useDiagnosticEntry(sessionId)
  const called = useRecordReport(sessionId)
  const parent = useWorkbench(state => state.parents.get(sessionId))
  const now = useNow(false)
  const [showsRaw, setShowsRaw] = useState(false)

  function retry(): void {
    called.retry()
    if (parent === undefined) void app.sessions.refreshRoots()
    else void app.children.load(parent)
  }

  const report = called.status === 'ready' ? called.value : null
  const readable = report === null ? 0 : readableOf(report)
  const cells = report === null ? [] : cellsOf(report, CELLS)
  return (
    <div className={styles.scroller}>
      <section className={styles.page} aria-labelledby="damaged-title">
        <div className={styles.head}>
          <StatusMark kind="unreadable" size={20} />
          <h2 id="damaged-title">{titleOf(entry)}</h2>
        </div>
        {called.status === 'loading' && <p className={styles.lead}>Looking at the record…</p>}
        {called.status === 'failed' && (
          <p className={styles.lead} role="alert">
            {errorText(called.failure.code).what} {errorText(called.failure.code).todo}
          </p>
        )}
        {report !== null && (
          <>
            <p className={styles.lead}>{leadOf(entry, report)}</p>
            {cells.length > 0 && (
              <>
                <div
                  className={styles.cells}
                  role="img"
                  aria-label={`${readable} of ${plural(report.stated, 'event')} readable`}
                >
                  {cells.map((cell, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its place
                    <i key={index} className={styles[cell]} />
                  ))}
                </div>
                <div className={styles.legend}>
                  <span>
                    <i className={styles.ok} />
                    {readable} readable
                  </span>
                  {report.damage.map(one => (
                    <span key={JSON.stringify(one)}>
                      <i className={one.kind === 'damaged-tail' ? styles.lost : styles.gone} />
                      {damageText(one)}
                    </span>
                  ))}
                </div>
              </>
            )}
          </>
        )}
        <Facts>
          {entry !== null && <Fact name="Reason">{capital(diagnosticReason(entry))}</Fact>}
          {report?.lastReadable && (
            <Fact name="Last written" title={formatExact(report.lastReadable.time)}>
              {formatTime(report.lastReadable.time, now)}
            </Fact>
          )}
          {parent !== undefined && (
            <Fact name="Parent">
              <button type="button" className={styles.link} onClick={() => openSession(app, parent)}>
                {report?.parentLabel ?? shortId(parent)}
              </button>
            </Fact>
          )}
          <Fact name="Record">
            <span className={styles.mono}>{sessionId}</span>
          </Fact>
        </Facts>
        <div className={styles.actions}>
          <Button
            variant="primary"
            icon="list"
            disabledReason={report !== null && readable === 0 ? 'nothing of it can be read' : null}
            onClick={() => app.store.setState({ readAnyway: sessionId })}
          >
            Open what is readable
          </Button>
          <Button icon="branch" onClick={() => void forkSession(app, sessionId)}>
            Continue in a new session
          </Button>
          <Button icon="retry" onClick={retry}>
            Retry
          </Button>
          <span className={styles.spacer} />
          <Button
            variant="quiet"
            icon="braces"
            aria-expanded={showsRaw}
            disabledReason={report === null ? 'the record is not read yet' : null}
            onClick={() => setShowsRaw(!showsRaw)}
          >
            Raw record
          </Button>
        </div>
        <p className={styles.hint}>
          A new session is written from the readable events. This record stays as it is.
        </p>
        {showsRaw && report !== null && <RawRows rows={report.raw} />}
      </section>
    </div>
  )
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

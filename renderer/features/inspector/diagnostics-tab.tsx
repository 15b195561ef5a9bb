import type { SessionId } from '#shared/session/ids.ts'
import { errorText } from '../../app/error-text.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { formatExact } from '../../ui/format.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import styles from './inspector.module.css'
import { RawRows } from './raw-rows.tsx'
import { damageText, leadOf, readableOf, titleOf } from './report-words.ts'
import { useDiagnosticEntry, useRecordReport } from './use-record-report.ts'

export function DiagnosticsTab({ sessionId }: { readonly sessionId: SessionId }) {
  const entry = useDiagnosticEntry(sessionId)
  const called = useRecordReport(sessionId)
  if (called.status === 'loading') return <p className={styles.note}>Looking at the record…</p>
  const again = (
    <Button size="small" icon="retry" onClick={called.retry}>
      Look again
    </Button>
  )
  if (called.status === 'failed') {
    const { what, todo } = errorText(called.failure.code)
    return (
      <EmptyState icon="warning" title="The record could not be looked at" action={again}>
        {what} {todo}
      </EmptyState>
    )
  }
  const report = called.value
  const { damage, faults, lastReadable, raw, stated } = report
  const isHealthy = entry === null && damage.length === 0 && faults.length === 0
  return (
    <section className={styles.section}>
      <div className={styles.sectionHead}>
        <StatusMark kind={isHealthy ? 'done' : 'unreadable'} />
        <h3>{isHealthy ? 'Nothing is wrong' : titleOf(entry)}</h3>
        <span className={styles.spacer} />
        {again}
      </div>
      {!isHealthy && <p className={styles.lead}>{leadOf(entry, report)}</p>}
      <Facts>
        <Fact name="Events">
          {readableOf(report)} of {stated} readable
        </Fact>
        {damage.map(one => (
          <Fact key={JSON.stringify(one)} name="Damage">
            {damageText(one)}
          </Fact>
        ))}
        {faults.map(({ key, message }) => (
          <Fact key={key} name="Fault">
            <span className={styles.wrap}>
              {key}: {message}
            </span>
          </Fact>
        ))}
        {lastReadable !== null && (
          <Fact name="Last event" title={formatExact(lastReadable.time)}>
            {lastReadable.seq}, {lastReadable.type}
          </Fact>
        )}
      </Facts>
      {raw.length > 0 && !isHealthy && <RawRows rows={raw} />}
    </section>
  )
}

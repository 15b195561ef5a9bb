import type { RecordReport } from '#shared/contract/session-shapes.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { DiagnosticEntry } from '#shared/subagent/diagnostic-words.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { type Called, useCall } from '../../store/use-call.ts'

/** What is wrong with one record, as of this look. */
export function useRecordReport(sessionId: SessionId): Called<RecordReport> & { readonly retry: () => void } {
  const app = useApp()
  return useCall(`report ${sessionId}`, signal => app.client.diagnostics.record({ sessionId }, { signal }))
}

export function useDiagnosticEntry(sessionId: SessionId): DiagnosticEntry | null {
  return useWorkbench(state => {
    const entry = state.entries.get(sessionId)
    return entry?.kind === 'diagnostic' ? entry : null
  })
}

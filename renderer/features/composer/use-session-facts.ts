import { useMemo } from 'react'
import type { ApprovalMode } from '#shared/session/approval-mode.ts'
import { type ModelRoute, readEvent, type StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { useWorkbench } from '../../store/app-context.tsx'
import { selectValue } from '../../store/projections.ts'
import { selectTranscript } from '../../store/selectors.ts'
import type { ComposerMode } from './composer-mode.ts'

interface SessionFacts {
  /** `null`: not known here. */
  readonly approvalMode: ApprovalMode | null
  readonly route: ModelRoute | null
}

/** What the record says the session runs with; the window's default only for a session that never ran. */
export function useSessionFacts(sessionId: SessionId, mode: ComposerMode): SessionFacts {
  const transcript = useWorkbench(selectTranscript(sessionId))
  const fallback = useWorkbench(state => state.defaultRoute)
  const used = useWorkbench(selectValue(sessionId, 'usage'))?.model ?? null
  // Known of the whole record, also where its first events are not read.
  const record = useWorkbench(selectValue(sessionId, 'identityRecord'))
  const events = transcript?.events
  const logged = useMemo(() => latestFacts(events ?? []), [events])
  const route = mode.restores?.restores.route ?? logged.route
  const guessed = used === null ? fallback : { provider: '', model: used }
  return {
    approvalMode: mode.restores?.restores.approvalMode ?? record?.approvalMode ?? logged.approvalMode,
    route: route ?? guessed,
  }
}

/** The last words of the window on both, read from its end. */
function latestFacts(events: readonly StoredEvent[]): SessionFacts {
  let route: ModelRoute | null = null
  let approvalMode: SessionFacts['approvalMode'] = null
  for (let index = events.length - 1; index >= 0 && (route === null || approvalMode === null); index--) {
    const stored = events[index]
    if (stored === undefined || !INTERESTING.has(stored.type)) continue
    const event = readEvent(stored)
    if (event?.type === 'request/header' || event?.type === 'model/changed') route ??= event.data.route
    if (event?.type === 'approval/policy') approvalMode ??= event.data.mode
  }
  return { route, approvalMode }
}

const INTERESTING: ReadonlySet<string> = new Set(['request/header', 'model/changed', 'approval/policy'])

import { SubagentError, WorkbenchError } from '#shared/errors.ts'
import { type ModelRoute, readEvent, type StoredEvent } from '#shared/session/events.ts'
import { IMPORTED_PRESET, type SessionHeader } from '#shared/session/header.ts'
import { type Descriptor, parseDescriptor } from '#shared/subagent/descriptor.ts'

/** What a session's own record says about the agent it belongs to. Nothing of it comes from a parent. */
export interface IdentityRecord {
  /** `null` for a root. */
  readonly descriptor: Descriptor | null
  /** The last route recorded, `null` when there is none. */
  readonly route: ModelRoute | null
  readonly approvalMode: 'ask' | 'allow'
}

/** Reads the own suffix only; of several descriptors the first counts, as its creator meant it (contracts §7). */
export function readIdentityRecord(header: SessionHeader, events: readonly StoredEvent[]): IdentityRecord {
  let descriptor: Descriptor | null = null
  let route: ModelRoute | null = null
  let approvalMode: 'ask' | 'allow' = 'ask'
  for (const stored of events.slice(header.seedLength ?? 0)) {
    const event = readEvent(stored)
    switch (event?.type) {
      case 'subagent/descriptor': {
        const parsed = parseDescriptor(event.data)
        if (parsed.kind === 'descriptor') descriptor ??= parsed.descriptor
        break
      }
      case 'request/header':
      case 'model/changed':
        route = event.data.route
        break
      case 'approval/policy':
        approvalMode = event.data.mode
        break
      default:
    }
  }
  return { descriptor, route: route ?? describedRoute(descriptor), approvalMode }
}

export type Admission = 'message' | 'decision'

/**
 * Whether this record may be resumed at all. An open question of a one-shot child can still be answered.
 * @throws WorkbenchError `SESSION_READ_ONLY` or SubagentError `NOT_RESUMABLE`, with the reason as a sentence.
 */
export function requireResumable(header: SessionHeader, record: IdentityRecord, admission: Admission): void {
  const reason = whyNotResumable(header, record, admission)
  if (reason === null) return
  if (header.origin === 'subagent') throw new SubagentError('NOT_RESUMABLE', reason)
  throw new WorkbenchError('SESSION_READ_ONLY', reason)
}

export function whyNotResumable(
  header: SessionHeader,
  { descriptor }: IdentityRecord,
  admission: Admission = 'message',
): string | null {
  if (header.preset === IMPORTED_PRESET) return 'This history was imported from another tool, so it is read-only.'
  if (header.origin !== 'subagent') return null
  if (descriptor === null) return 'This child has no descriptor of its own, so nothing says how to resume it.'
  if (descriptor.mode === 'one-shot' && admission === 'message') {
    return 'This child was one-shot: it answered once and ended, so it takes no more messages.'
  }
  return null
}

function describedRoute(descriptor: Descriptor | null): ModelRoute | null {
  if (descriptor?.mode !== 'continuable') return null
  const { agentProvider, agentModel } = descriptor
  return agentProvider === undefined || agentModel === undefined ? null : { provider: agentProvider, model: agentModel }
}

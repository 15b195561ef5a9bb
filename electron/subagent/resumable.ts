import { SubagentError, WorkbenchError } from '#shared/errors.ts'
import type { IdentityRecord } from '#shared/projection/units/identity-record.ts'
import { IMPORTED_PRESET, type SessionHeader } from '#shared/session/header.ts'

/**
 * What a session is wanted for. An open question of a one-shot child can still be answered; `record`: something is
 * noted in its log, and nobody is put to work.
 */
export type Admission = 'message' | 'decision' | 'record'

/** The sentence that says why this record takes no messages, `null` when it does. */
export function whyNotResumable(
  header: SessionHeader,
  { descriptor }: IdentityRecord,
  admission: Admission = 'message',
): string | null {
  if (header.preset === IMPORTED_PRESET)
    return 'This history was imported from another tool, so it is read-only.'
  if (header.origin !== 'subagent' || admission === 'record') return null
  if (descriptor === null) return 'This child has no descriptor of its own, so nothing says how to resume it.'
  if (descriptor.mode === 'one-shot' && admission === 'message') {
    return 'This child was one-shot: it answered once and ended, so it takes no more messages.'
  }
  return null
}

/** @throws WorkbenchError `SESSION_READ_ONLY` or SubagentError `NOT_RESUMABLE`, with the reason as a sentence. */
export function requireResumable(header: SessionHeader, record: IdentityRecord, admission: Admission): void {
  const reason = whyNotResumable(header, record, admission)
  if (reason === null) return
  if (header.origin === 'subagent') throw new SubagentError('NOT_RESUMABLE', reason)
  throw new WorkbenchError('SESSION_READ_ONLY', reason)
}

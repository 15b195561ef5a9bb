import type { ChildOutcome } from '#shared/session/events.ts'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import type { Outcome } from '#shared/session/outcome.ts'
import type { ProjectionRegistry } from '../projection/registry.ts'
import { liveValue } from '../projection/typed-values.ts'
import type { Activation } from './activation.ts'

/** The end of a child's activation: what its parent is told, once. */
export interface Settlement {
  readonly childId: SessionId
  /** Seq of the child's last `turn/end`. */
  readonly childSeq: number
  readonly label: string
  readonly outcome: ChildOutcome
  /** Why it did not complete, as a sentence; empty when it did. */
  readonly reason: string
  /** Its last message, empty when there is none. */
  readonly text: string
}

/** The end of a child that is still resident. */
export function settlementOf(
  registry: ProjectionRegistry,
  { session, agent, record }: Activation,
): Settlement {
  const { id } = session
  return {
    childId: id,
    // A child that never ran ends at the end of its log.
    childSeq: liveValue(registry, id, 'turns')?.endSeq ?? session.nextSeq - 1,
    label: record.descriptor?.label ?? shortId(id),
    text: agent.log.lastText,
    ...toChildOutcome(liveValue(registry, id, 'outcome')),
  }
}

export function toChildOutcome(outcome: Outcome | null): { outcome: ChildOutcome; reason: string } {
  switch (outcome?.kind) {
    case 'completed':
      return { outcome: 'completed', reason: '' }
    case 'failed':
      return { outcome: 'failed', reason: outcome.message }
    case 'limited':
      return { outcome: 'limited', reason: 'It reached a limit.' }
    case 'cancelled':
      return {
        outcome: 'stopped',
        reason: outcome.by === 'user' ? 'A person stopped it.' : 'It was stopped.',
      }
    case 'interrupted':
      return { outcome: 'interrupted', reason: 'The application ended while it ran.' }
    default:
      return { outcome: 'stopped', reason: 'It was stopped before it ran.' }
  }
}

/** The notice as the parent's model reads it. */
export function noticeText({ label, childId, outcome, reason, text }: Settlement): string {
  const head = `Agent "${label}" (${childId}) ${VERBS[outcome]}.${reason === '' ? '' : ` ${reason}`}`
  return text === '' ? `${head}\nIt left no message.` : `${head}\n\n${text}`
}

const VERBS: Readonly<Record<ChildOutcome, string>> = {
  completed: 'completed',
  failed: 'failed',
  stopped: 'stopped',
  limited: 'reached a limit',
  interrupted: 'was interrupted',
}

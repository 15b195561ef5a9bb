import type { IdentityRecord } from '#shared/projection/units/identity-record.ts'
import type { ProjectionValues } from '#shared/projection/units.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Agent } from '../agent/agent.ts'
import type { Session } from '../session/session.ts'

/** A session's residence in this process: its one agent (contracts §7). Losing it loses nothing. */
export interface Activation {
  readonly agent: Agent
  readonly session: Session
  readonly rootId: SessionId
  readonly record: IdentityRecord
  /** What was logged before is no news to anyone: the first seq of this residence, 0 for a new session. */
  readonly sinceSeq: number
}

export function isChild({ session }: Activation): boolean {
  return session.header.origin === 'subagent'
}

export function depthOf(header: SessionHeader): number {
  return header.delegationDepth ?? 0
}

/** A record that could not be folded says nothing: then nothing may be resumed by it. */
export function recordOf({ identityRecord }: ProjectionValues): IdentityRecord {
  return identityRecord ?? { descriptor: null, route: null, approvalMode: 'ask' }
}

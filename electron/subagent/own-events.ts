import type { AgentLog } from '../agent/agent-log.ts'
import type { Session } from '../session/session.ts'

/** A log that was read up to the end of what a new session inherits, with the events it was created with. */
export function withOwn(log: AgentLog, session: Session, seedLength: number): AgentLog {
  for (const event of session.tail) if (event.seq >= seedLength) log.apply(event)
  return log
}

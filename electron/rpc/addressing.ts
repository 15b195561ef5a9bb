import { WorkbenchError } from '#shared/errors.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import type { Workbench } from '../workbench.ts'

/** A child is addressed through `subagents.*` only: refused from its header, without a look at its log. */
export async function requireRoot(workbench: Workbench, id: SessionId): Promise<void> {
  const header = await headerOf(workbench, id)
  if (header === null) throw new WorkbenchError('SESSION_NOT_FOUND', `There is no session ${shortId(id)}.`)
  if (header.origin === undefined) return
  throw new WorkbenchError('BAD_REQUEST', 'This is a delegated agent; it is reached through its own calls.')
}

export async function requireSubagent(workbench: Workbench, id: SessionId): Promise<void> {
  const header = await headerOf(workbench, id)
  if (header?.origin === 'subagent') return
  throw new WorkbenchError('SUBAGENT_NOT_FOUND', `There is no agent ${shortId(id)}.`)
}

async function headerOf({ live, store }: Workbench, id: SessionId): Promise<SessionHeader | null> {
  return live.get(id)?.header ?? (await store.persistence.get(id))?.header ?? null
}

import type { ApprovalMode } from '#shared/session/approval-mode.ts'
import { textContent } from '#shared/session/content.ts'
import type { ModelRoute } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { errorText } from '../../app/error-text.ts'
import type { App } from '../../store/app.ts'
import { failureOf } from '../../store/failure.ts'
import { composerMode } from './composer-mode.ts'

/** What did not work: what happened, what still holds, one thing to do. */
export interface Problem {
  readonly title: string
  readonly text: string
}

/** A child is spoken to through `subagents`, everything else through `agents`: by its header alone (contracts §9). */
interface Addressee {
  readonly sessionId: SessionId
  readonly isChild: boolean
}

/**
 * Sends once it is known whether the session takes messages: a window that has just opened does not know yet, and
 * what was typed meanwhile is neither lost nor answered with silence.
 */
export async function sendWhenRead(
  app: App,
  { sessionId, isChild }: Addressee,
  text: string,
  how: 'queue' | 'steer',
): Promise<Problem | null> {
  const detailOf = () => app.store.getState().details.get(sessionId)
  if (detailOf()?.status !== 'ready') await app.sessions.loadDetail(sessionId)
  const detail = detailOf()
  const { blocked } = composerMode(detail, null)
  if (blocked !== null) return { title: 'The message was not sent.', text: `${blocked} Your text is kept.` }
  const isSubagent = detail?.status === 'ready' ? detail.detail.header.origin === 'subagent' : isChild
  return await sendMessage(app, { sessionId, isChild: isSubagent }, text, how)
}

async function sendMessage(
  app: App,
  to: Addressee,
  text: string,
  mode: 'queue' | 'steer',
): Promise<Problem | null> {
  const content = textContent(text)
  const { sessionId, isChild } = to
  const call = isChild
    ? app.client.subagents.send({ childId: sessionId, content, mode })
    : app.client.agents.prompt({ sessionId, content, mode })
  return await problemOf(call, 'The message was not sent.', 'Your text is kept.')
}

export async function stopTurn(app: App, { sessionId, isChild }: Addressee): Promise<Problem | null> {
  const call = isChild
    ? app.client.subagents.interrupt({ childId: sessionId })
    : app.client.agents.cancel({ sessionId })
  return await problemOf(call, 'It could not be stopped.', 'It is still at work.')
}

export async function retryTurn(app: App, { sessionId, isChild }: Addressee): Promise<Problem | null> {
  const call = isChild
    ? app.client.subagents.retry({ childId: sessionId })
    : app.client.agents.retry({ sessionId })
  return await problemOf(call, 'It was not tried again.', 'Nothing was changed.')
}

export async function stopAll(app: App, sessionId: SessionId): Promise<Problem | null> {
  return await problemOf(
    app.client.subagents.stopTree({ sessionId }),
    'Not everything could be stopped.',
    'The rest is still at work.',
  )
}

export async function unqueue(
  app: App,
  { sessionId, isChild }: Addressee,
  messageId: string,
): Promise<Problem | null> {
  const call = isChild
    ? app.client.subagents.unqueue({ childId: sessionId, messageId })
    : app.client.agents.unqueue({ sessionId, messageId })
  return await problemOf(call, 'The message could not be taken back.', 'It may have been read already.')
}

export async function changeModel(
  app: App,
  sessionId: SessionId,
  route: ModelRoute,
): Promise<Problem | null> {
  const problem = await problemOf(
    app.client.sessions.setModel({ sessionId, route }),
    'The model was not changed.',
    'The session keeps the one it has.',
  )
  if (problem === null) void app.sessions.loadDetail(sessionId)
  return problem
}

export async function changeApprovalMode(
  app: App,
  sessionId: SessionId,
  mode: ApprovalMode,
): Promise<Problem | null> {
  return await problemOf(
    app.client.sessions.setApprovalMode({ sessionId, mode }),
    'The permissions were not changed.',
    'The session keeps those it has.',
  )
}

async function problemOf(call: Promise<unknown>, title: string, holds: string): Promise<Problem | null> {
  try {
    await call
    return null
  } catch (error) {
    const { code, detail } = failureOf(error)
    const { what, todo } = errorText(code)
    const cause = code === 'INTERNAL' || detail === '' ? what : detail
    return { title, text: [cause, holds, todo].join(' ') }
  }
}

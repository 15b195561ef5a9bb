import { z } from 'zod'
import { messageOf } from '#shared/errors.ts'
import { textContent } from '#shared/session/content.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { defineTool, type Tool, type ToolContext, type ToolOutcome } from '../../tool/tool.ts'
import type { Activations } from '../activations.ts'
import type { ChildProvider, ChildRun, Delegation } from '../delegation.ts'
import { findPreset, PRESETS } from '../presets.ts'
import { noticeText, type Settlement } from '../settlement.ts'

const inputSchema = z.object({
  description: z.string().min(1).describe('Three to five words: the name people see.'),
  prompt: z.string().min(1).describe('The whole task. The child sees nothing else.'),
  agent: z
    .string()
    .optional()
    .describe(`Kind of agent: ${PRESETS.map(({ name, purpose }) => `${name} (${purpose})`).join(', ')}.`),
  mode: z
    .enum(['one-shot', 'continuable'])
    .default('one-shot')
    .describe('A one-shot child answers once. A continuable one keeps its memory for send_message.'),
  background: z
    .boolean()
    .optional()
    .describe(
      'Go on without waiting; the result comes as a message. Default: true exactly when continuable.',
    ),
  context: z
    .enum(['fresh', 'inherit'])
    .default('fresh')
    .describe('inherit: the child starts with your finished turns in its memory.'),
})
type DelegateInput = z.infer<typeof inputSchema>

export interface DelegateDeps {
  readonly activations: Activations
  readonly delegation: Delegation
  readonly newSessionId: () => SessionId
}

/** Starts a child. In the foreground its final text is the result; in the background its id. */
export function createDelegateTool({ activations, delegation, newSessionId }: DelegateDeps): Tool {
  return defineTool({
    name: 'delegate',
    description: 'Starts another agent on a task of its own. Several calls in one step run side by side.',
    inputSchema,
    toolClass: 'delegate',
    announce: input => ({ childId: newSessionId(), background: isBackground(input) }),
    async execute(input: DelegateInput, context: ToolContext): Promise<ToolOutcome> {
      const parent = activations.get(context.sessionId)
      const { childId } = context
      if (parent === undefined || childId === undefined) return failure('Only a running agent can delegate.')
      if (input.agent !== undefined && findPreset(input.agent) === undefined) {
        return failure(
          `There is no kind of agent "${input.agent}". Use one of: ${PRESETS.map(({ name }) => name).join(', ')}.`,
        )
      }
      const provider: ChildProvider = input.context === 'inherit' ? 'fork' : 'spawn'
      const { mode, description: label, agent: preset } = input
      const background = isBackground(input)
      const prompt = textContent(input.prompt)
      let run: ChildRun
      try {
        const { signal } = context
        const request = { parent, childId, provider, mode, label, prompt, preset, background, signal }
        run = await delegation.start(request)
      } catch (error) {
        return failure(`No agent was started: ${messageOf(error)}`)
      }
      if (run.result === null)
        return { status: 'ok', content: textContent(`Started agent ${childId}.`), summary: 'started' }
      return awaitResult(childId, run.result, activations, context.signal)
    },
  })
}

function isBackground({ background, mode }: Pick<DelegateInput, 'background' | 'mode'>): boolean {
  return background ?? mode === 'continuable'
}

/**
 * Stopping the parent's turn stops the child it waits for; what the child had is returned all the same. When Espalier
 * closes nobody waits: a child that has a question open keeps it.
 */
async function awaitResult(
  childId: SessionId,
  result: Promise<Settlement>,
  activations: Activations,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const closing = Promise.withResolvers<null>()
  const stop = () => {
    if (signal.reason === 'disposed') {
      closing.resolve(null)
      return
    }
    activations.interrupt(childId, 'parent')
    for (const { session } of activations.under(childId)) activations.interrupt(session.id, 'parent')
  }
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const settlement = await Promise.race([result, closing.promise])
  signal.removeEventListener('abort', stop)
  if (settlement === null) {
    const content = textContent(
      'Espalier was closed before the agent ended. You will hear when it has ended.',
    )
    return { status: 'error', code: 'TOOL_OUTCOME_UNKNOWN', content }
  }
  const { childSeq } = settlement
  if (settlement.outcome !== 'completed') {
    return {
      childSeq,
      status: 'error',
      code: 'CHILD_NOT_COMPLETED',
      content: textContent(noticeText(settlement)),
      summary: settlement.outcome,
    }
  }
  return {
    childSeq,
    status: 'ok',
    content: textContent(settlement.text || 'The agent completed without a message.'),
    summary: 'completed',
  }
}

function failure(text: string): ToolOutcome {
  return { status: 'error', code: 'DELEGATION_FAILED', content: textContent(text) }
}

import type { LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { messageText } from '../prompt-text.ts'
import { isFailed, resultText } from './prompt-results.ts'
import { field, shown } from './prompt-words.ts'

/** The head of a settlement notice: label, id, end. */
const NOTICE = /^Agent "(.+?)" \((\S+)\) (completed|failed|stopped|reached a limit|was interrupted)\b.*$/m

/** A child as far as the prompt tells. */
export interface DelegatedChild {
  readonly label: string
  readonly outcome: string | null
  /** First line of what it left. */
  readonly said: string
}

/** Whether a message is the notice of a child's end. */
export function isNotice(text: string): boolean {
  return NOTICE.test(text)
}

export function childrenIn(
  messages: LanguageModelV4Prompt,
  results: readonly LanguageModelV4ToolResultPart[],
  users: readonly string[],
): readonly DelegatedChild[] {
  const calls = messages.flatMap(message =>
    message.role === 'assistant' ? message.content.filter(part => part.type === 'tool-call') : [],
  )
  return calls
    .filter(call => call.toolName === 'delegate')
    .map(call => {
      const label = field(call.input, 'description') || 'A child'
      const result = results.find(({ toolCallId }) => toolCallId === call.toolCallId)
      return { label, ...endOf(label, call.input, result, users) }
    })
}

function endOf(
  label: string,
  input: unknown,
  result: LanguageModelV4ToolResultPart | undefined,
  users: readonly string[],
): Omit<DelegatedChild, 'label'> {
  if (result === undefined) return { outcome: null, said: '' }
  const text = resultText(result)
  if (isFailed(result))
    return { outcome: NOTICE.exec(text)?.[3] ?? 'not started', said: shown(afterNotice(text)) }
  if (!runsInBackground(input)) return { outcome: 'completed', said: shown(text) }
  const notice = users.findLast(user => NOTICE.exec(user)?.[1] === label)
  if (notice === undefined) return { outcome: null, said: '' }
  return { outcome: NOTICE.exec(notice)?.[3] ?? null, said: shown(afterNotice(notice)) }
}

function runsInBackground(input: unknown): boolean {
  const given =
    typeof input === 'object' && input !== null && 'background' in input ? input.background : undefined
  return typeof given === 'boolean' ? given : field(input, 'mode') === 'continuable'
}

function afterNotice(text: string): string {
  const rest = text.replace(NOTICE, '').trim()
  return rest === '' ? text : rest
}

export function newsIn(turn: LanguageModelV4Prompt): readonly string[] {
  return turn.flatMap(message =>
    message.role === 'user' ? (NOTICE.exec(messageText(message))?.[1] ?? []) : [],
  )
}

export function tableRow({ label, outcome, said }: DelegatedChild): string {
  return `| ${cell(label)} | ${outcome ?? 'still at work'} | ${cell(said)} |`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/^#+ /, '')
}

import type { LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { messageText } from '../prompt-text.ts'
import type { Condition } from './script.ts'

/** A child as far as the prompt tells. */
interface DelegatedChild {
  readonly label: string
  readonly outcome: string | null
  /** First line of what it left. */
  readonly said: string
}

/** What a script may say or ask about the prompt it is given. */
export interface PromptFacts {
  readonly texts: Readonly<Record<string, string>>
  readonly conditions: ReadonlySet<Condition>
}

const MAX_SHOWN = 120
const NOTICE = /^Agent "(.+?)" \((\S+)\) (completed|failed|stopped|reached a limit|was interrupted)\b.*$/m
const NO_TEXT =
  /\.(?:png|jpe?g|gif|webp|ico|pdf|zip|gz|tgz|woff2?|ttf|mp[34]|mov|db|sqlite|exe|dll|so|wasm|lock)$/i
const PREFERRED = [/(?:^|\/)readme[^/]*$/i, /\.md$/i, /\.txt$/i, /\.(?:[cm]?[jt]sx?|py|rs|go|java|c|h|rb)$/i]

/** Whether a message is the notice of a child's end. */
export function isNotice(text: string): boolean {
  return NOTICE.test(text)
}

/** Pure: the same messages always give the same facts. `turnStart`: index of the message that began the turn. */
export function factsOf(messages: LanguageModelV4Prompt, turnStart: number): PromptFacts {
  const users = messages.filter(message => message.role === 'user').map(messageText)
  const results = messages.flatMap(message =>
    message.role === 'tool' ? message.content.filter(isResult) : [],
  )
  const files = filesIn(results)
  const children = childrenIn(messages, results, users)
  const out = children.filter(child => child.outcome === null)
  const last = results.at(-1)
  const again = messages.slice(turnStart + 1).some(message => message.role === 'user')
  const conditions: readonly Condition[] = [
    files.length > 0 ? 'files' : 'no-files',
    out.length > 0 ? 'waiting' : 'settled',
    last !== undefined && isFailed(last) ? 'last-failed' : 'last-ok',
    again ? 'retried' : 'first-try',
  ]
  const readable = readableFirst(files)
  const message = users.at(-1) ?? ''
  return {
    conditions: new Set(conditions),
    texts: {
      request: shown(users[0] ?? ''),
      message: shown(message),
      word: wordOf(message),
      file: readable[0] ?? '',
      otherFile: readable[1] ?? readable[0] ?? '',
      fileCount: `${files.length} ${files.length === 1 ? 'file' : 'files'}`,
      result: shown(last === undefined ? '' : resultText(last)),
      resultLines: `${
        resultText(last)
          .split('\n')
          .filter(line => line.trim() !== '').length
      }`,
      waitingFor: sentenceList(out.map(child => child.label)),
      news: sentenceList(newsIn(messages.slice(turnStart))),
      children: children.map(tableRow).join('\n'),
      list: process.platform === 'win32' ? 'dir' : 'ls -la',
    },
  }
}

function isResult(part: { readonly type: string }): part is LanguageModelV4ToolResultPart {
  return part.type === 'tool-result'
}

function isFailed({ output }: LanguageModelV4ToolResultPart): boolean {
  return output.type === 'error-text' || output.type === 'error-json' || output.type === 'execution-denied'
}

function resultText(result: LanguageModelV4ToolResultPart | undefined): string {
  const output = result?.output
  switch (output?.type) {
    case 'text':
    case 'error-text':
      return output.value
    case 'content':
      return output.value.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')
    case 'execution-denied':
      return output.reason ?? ''
    default:
      return output === undefined ? '' : JSON.stringify(output.value)
  }
}

/** Paths of every glob result, in order, each once. */
function filesIn(results: readonly LanguageModelV4ToolResultPart[]): readonly string[] {
  const globs = results.filter(result => result.toolName === 'glob' && !isFailed(result))
  const lines = globs.flatMap(result => resultText(result).split('\n'))
  return [
    ...new Set(
      lines.filter(line => line !== '' && !line.startsWith('[') && !line.startsWith('No files match')),
    ),
  ]
}

function readableFirst(files: readonly string[]): readonly string[] {
  const rank = (file: string) => {
    const found = PREFERRED.findIndex(pattern => pattern.test(file))
    return found === -1 ? PREFERRED.length : found
  }
  return files.filter(file => !NO_TEXT.test(file)).toSorted((a, b) => rank(a) - rank(b))
}

function childrenIn(
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

function newsIn(turn: LanguageModelV4Prompt): readonly string[] {
  return turn.flatMap(message =>
    message.role === 'user' ? (NOTICE.exec(messageText(message))?.[1] ?? []) : [],
  )
}

function tableRow({ label, outcome, said }: DelegatedChild): string {
  return `| ${cell(label)} | ${outcome ?? 'still at work'} | ${cell(said)} |`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/^#+ /, '')
}

/** Foreign text in one short line: the first with words in it, without line numbers and marks of code. */
function shown(text: string): string {
  const lines = text.split('\n').map(line =>
    line
      .replace(/^\s*\d+\t/, '')
      .replaceAll('`', "'")
      .trim(),
  )
  const line = lines.find(candidate => /[\p{L}\p{N}]/u.test(candidate)) ?? ''
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1)}…`.toWellFormed() : line.toWellFormed()
}

/** The longest word: the likeliest to be what the message is about. */
function wordOf(text: string): string {
  const words = text.slice(0, 2000).match(/[\p{L}\p{N}_]{2,40}/gu) ?? []
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), '') || 'the'
}

function field(input: unknown, name: string): string {
  if (typeof input !== 'object' || input === null) return ''
  const value: unknown = Object.entries(input).find(([key]) => key === name)?.[1]
  return typeof value === 'string' ? value : ''
}

function sentenceList(items: readonly string[]): string {
  const quoted = items.map(item => `“${item}”`)
  return quoted.length < 2
    ? (quoted[0] ?? 'nobody')
    : `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`
}

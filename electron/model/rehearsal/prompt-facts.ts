import type { LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { messageText } from '../prompt-text.ts'
import { childrenIn, newsIn, tableRow } from './prompt-children.ts'
import { isFailed, resultsIn, resultText } from './prompt-results.ts'
import { sentenceList, shown, wordOf } from './prompt-words.ts'
import type { Condition } from './script.ts'

/** What a script may say or ask about the prompt it is given. */
export interface PromptFacts {
  readonly texts: Readonly<Record<string, string>>
  readonly conditions: ReadonlySet<Condition>
}

const NO_TEXT =
  /\.(?:png|jpe?g|gif|webp|ico|pdf|zip|gz|tgz|woff2?|ttf|mp[34]|mov|db|sqlite|exe|dll|so|wasm|lock)$/i
const PREFERRED = [/(?:^|\/)readme[^/]*$/i, /\.md$/i, /\.txt$/i, /\.(?:[cm]?[jt]sx?|py|rs|go|java|c|h|rb)$/i]

/** Pure: the same messages always give the same facts. `turnStart`: index of the message that began the turn. */
export function factsOf(messages: LanguageModelV4Prompt, turnStart: number): PromptFacts {
  const users = messages.filter(message => message.role === 'user').map(messageText)
  const results = resultsIn(messages)
  const files = filesIn(results)
  const children = childrenIn(messages, results, users)
  const out = children.filter(child => child.outcome === null)
  const last = results.at(-1)
  const lastRead = results.findLast(result => result.toolName === 'read')
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
      result: shown(resultText(last)),
      page: shown(resultText(lastRead)),
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

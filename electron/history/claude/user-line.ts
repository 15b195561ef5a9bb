import { asRecord, isTrue, type JsonValue, listField, textField } from '../json-fields.ts'
import type { Line } from './line.ts'

/**
 * What a line of role `user` really is. Only `prompt` is something a person (or, in an agent's file, the parent)
 * asked for; a file holds many more lines of that role.
 */
export type UserKind =
  | 'prompt'
  /** A slash command or a `!` shell command of the person. */
  | 'command'
  | 'interrupt'
  | 'results'
  | 'compact-summary'
  /** Word from a background agent that ended. */
  | 'settlement'
  | 'teammate'
  /** Put there by the tool for the model: caveats, skill bodies, command output. */
  | 'context'

const CONTEXT_TAGS = [
  '<local-command-stdout>',
  '<local-command-stderr>',
  '<local-command-caveat>',
  '<bash-stdout>',
  '<bash-stderr>',
  '<system-reminder>',
  'Caveat: The messages below',
]
const INTERRUPT = '[Request interrupted by user'

export function userKind(line: Line): UserKind {
  const content = blocksOf(line)
  if (content.some(block => textField(asRecord(block), 'type') === 'tool_result')) return 'results'
  if (isTrue(line.value, 'isCompactSummary')) return 'compact-summary'
  if (isTrue(line.value, 'isMeta')) return 'context'
  return kindOfText(plainText(content))
}

/** Kinds that the text alone tells. */
export type TextKind = Exclude<UserKind, 'results' | 'compact-summary'>

export function kindOfText(text: string): TextKind {
  const start = text.trimStart()
  if (start.startsWith(INTERRUPT)) return 'interrupt'
  if (start.startsWith('<command-name>') || start.startsWith('<command-message>')) return 'command'
  if (start.startsWith('<bash-input>')) return 'command'
  if (start.startsWith('<task-notification>')) return 'settlement'
  if (start.startsWith('<teammate-message')) return 'teammate'
  return CONTEXT_TAGS.some(tag => start.startsWith(tag)) ? 'context' : 'prompt'
}

/** The content of a message as blocks, whichever of the two forms the line has. */
export function blocksOf(line: Line): readonly JsonValue[] {
  const content = textField(line.message, 'content')
  return content === null ? listField(line.message, 'content') : [{ type: 'text', text: content }]
}

export function plainText(blocks: readonly JsonValue[]): string {
  return blocks
    .map(asRecord)
    .filter(block => textField(block, 'type') === 'text')
    .map(block => textField(block, 'text') ?? '')
    .join('\n')
}

/** `/name args` or `! line`, the way it was typed. */
export function typedCommand(text: string): string {
  const shell = tag(text, 'bash-input')
  if (shell !== null) return `! ${shell.trim()}`
  const name = tag(text, 'command-name') ?? tag(text, 'command-message') ?? ''
  const args = tag(text, 'command-args') ?? ''
  return `${name.startsWith('/') ? name : `/${name}`} ${args}`.trim()
}

export function tag(text: string, name: string): string | null {
  const start = text.indexOf(`<${name}>`)
  if (start < 0) return null
  const from = start + name.length + 2
  const end = text.indexOf(`</${name}>`, from)
  return end < 0 ? null : text.slice(from, end)
}

/** What an editor puts in front of a prompt: whole tag blocks. They stay in the message, not in a title. */
export function withoutEditorContext(text: string): string {
  let rest = text.trimStart()
  for (;;) {
    const name = /^<(ide_[a-z_]+|system-reminder)>/.exec(rest)?.[1]
    if (name === undefined) return rest
    const end = rest.indexOf(`</${name}>`)
    if (end < 0) return rest
    rest = rest.slice(end + name.length + 3).trimStart()
  }
}

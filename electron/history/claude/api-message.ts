import type { AssistantContent } from '#shared/session/content.ts'
import type { Usage } from '#shared/session/events.ts'
import { localId } from '../imported-ids.ts'
import {
  asRecord,
  countField,
  field,
  isTrue,
  type JsonRecord,
  type JsonValue,
  recordField,
  textField,
} from '../json-fields.ts'
import type { Line } from './line.ts'
import { blocksOf } from './user-line.ts'

export interface ToolUse {
  readonly callId: string
  readonly name: string
  readonly input: JsonValue
  readonly time: number | null
}

/** One answer of the model, put together from its lines. */
export interface ApiMessage {
  readonly id: string
  readonly first: Line
  readonly content: AssistantContent
  readonly calls: readonly ToolUse[]
  /** Blocks without a counterpart, with the line that has them. */
  readonly unknown: readonly { readonly line: Line; readonly block: JsonValue }[]
  /** Of the last line: earlier ones carry provisional numbers (issue P103). */
  readonly usage: Usage | null
  /** `null` for a message that the tool made up itself. */
  readonly model: string | null
  readonly stop: string | null
  readonly isApiError: boolean
}

/**
 * One API message is written as a line per block, and may be written again as it grows. Lines of one `message.id`
 * become one message at the place of the first; blocks are united, a block that grew replaces its beginning.
 */
export function toApiMessages(lines: readonly Line[]): ReadonlyMap<Line, ApiMessage> {
  const groups = new Map<string, Line[]>()
  for (const line of lines) {
    const id = textField(line.message, 'id')
    const key = id === null || id === '' ? `line ${line.no}` : `id ${id}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [line])
    else group.push(line)
  }
  const seen = new Set<string>()
  const messages = new Map<Line, ApiMessage>()
  for (const group of groups.values()) {
    const [first] = group
    if (first !== undefined) messages.set(first, unite(first, group, seen))
  }
  return messages
}

function unite(first: Line, group: readonly Line[], seen: Set<string>): ApiMessage {
  const content: AssistantContent = []
  const calls: ToolUse[] = []
  const unknown: ApiMessage['unknown'][number][] = []
  for (const line of group) {
    const before = content.length
    for (const [index, value] of blocksOf(line).entries()) {
      const block = asRecord(value)
      const type = textField(block, 'type')
      if (type === 'tool_use') {
        const callId = callIdOf(block, line, index)
        if (seen.has(callId)) continue
        seen.add(callId)
        const name = textField(block, 'name') ?? 'unknown'
        const input = field(block, 'input') ?? null
        calls.push({ callId, name, input, time: line.time })
        content.push({ type: 'tool-call', callId, name, input })
      } else if (type === 'text' || type === 'thinking') {
        addText(content, before, block, type)
      } else {
        unknown.push({ line, block: value })
      }
    }
  }
  const last = group.at(-1) ?? first
  const model = textField(last.message, 'model')
  const isApiError = group.some(line => isTrue(line.value, 'isApiErrorMessage'))
  const isOwn = model === null || model === '<synthetic>'
  return {
    id: localId(textField(first.message, 'id') || first.uuid || `line-${first.no}`),
    first,
    content,
    calls,
    unknown,
    usage: model === '<synthetic>' ? null : usageOf(recordField(last.message, 'usage')),
    model: isOwn ? null : model,
    stop: textField(last.message, 'stop_reason'),
    isApiError,
  }
}

function addText(content: AssistantContent, before: number, block: JsonRecord | null, type: string): void {
  const isThinking = type === 'thinking'
  const text = textField(block, isThinking ? 'thinking' : 'text') ?? ''
  const kind = isThinking ? 'reasoning' : 'text'
  const signature = textField(block, 'signature')
  const fresh = isThinking
    ? {
        type: 'reasoning' as const,
        text,
        ...(signature !== null && signature !== '' && { providerMetadata: { anthropic: { signature } } }),
      }
    : { type: 'text' as const, text }
  const grown = content.findIndex(
    (old, index) =>
      index < before && old.type === kind && old.text.trim() !== '' && text.startsWith(old.text),
  )
  if (grown >= 0) content[grown] = fresh
  else content.push(fresh)
}

export function callIdOf(block: JsonRecord | null, line: Line, index: number): string {
  const id = textField(block, 'id')
  return id === null || id === '' ? `line-${line.no}.${index}` : localId(id)
}

function usageOf(usage: JsonRecord | null): Usage | null {
  if (usage === null) return null
  const cacheRead = countField(usage, 'cache_read_input_tokens')
  const cacheWrite = countField(usage, 'cache_creation_input_tokens')
  return {
    input: countField(usage, 'input_tokens') ?? 0,
    output: countField(usage, 'output_tokens') ?? 0,
    ...(cacheRead !== null && { cacheRead }),
    ...(cacheWrite !== null && { cacheWrite }),
  }
}

import type { MessageSource } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { asRecord, field, type JsonValue, recordField, textField } from '../json-fields.ts'
import { type ApiMessage, toApiMessages } from './api-message.ts'
import { toContent } from './content-blocks.ts'
import { EntryWriter } from './entry-writer.ts'
import type { EventLog } from './event-log.ts'
import { isMessage, type Line } from './line.ts'
import type { Thread } from './thread.ts'
import { resultsOf, type ToolResult, toolResults } from './tool-results.ts'
import { TurnWriter } from './turn-writer.ts'
import { blocksOf, kindOfText, plainText, type TextKind, tag, typedCommand, userKind } from './user-line.ts'

export interface TranscriptContext {
  readonly cwd: string | null
  /** `null` for a root: its prompts are a person's. */
  readonly parentId: SessionId | null
  /** The task a caller gave, for the agent files that do not begin with it. */
  readonly task: string | null
  /** The caller's record says that this agent ended well. */
  readonly finished: boolean
  childOf(callId: string): SessionId | null
  sessionOf(agentId: string): SessionId | null
}

/**
 * Appends a thread's conversation to `log`. Every line is either part of it or kept as `import/raw`: lines of
 * abandoned branches, lines that are no conversation, types nobody knows yet.
 */
export function writeTranscript(log: EventLog, thread: Thread, context: TranscriptContext): void {
  new TranscriptWriter(log, thread, context).write()
}

class TranscriptWriter {
  readonly #thread: Thread
  readonly #context: TranscriptContext
  readonly #entries: EntryWriter
  readonly #turns: TurnWriter
  readonly #messages: ReadonlyMap<Line, ApiMessage>
  readonly #results: ReadonlyMap<string, ToolResult>
  readonly #calls: ReadonlySet<string>
  readonly #summaries: ReadonlyMap<Line, Line>
  readonly #usedSummaries: ReadonlySet<Line>
  /** Prompts of an agent come from its caller. */
  readonly #asker: MessageSource

  constructor(log: EventLog, thread: Thread, context: TranscriptContext) {
    this.#thread = thread
    this.#context = context
    const shown = thread.lines.filter(placed => placed.shown).map(({ line }) => line)
    this.#messages = toApiMessages(shown.filter(line => line.type === 'assistant' && isMessage(line)))
    this.#calls = new Set([...this.#messages.values()].flatMap(({ calls }) => calls.map(call => call.callId)))
    this.#results = toolResults(shown)
    this.#summaries = summariesOf(shown)
    this.#usedSummaries = new Set(this.#summaries.values())
    const { cwd, parentId, childOf } = context
    this.#asker = parentId === null ? { kind: 'person' } : { kind: 'parent', from: parentId }
    this.#entries = new EntryWriter(log)
    this.#turns = new TurnWriter({ log, results: this.#results, cwd, childOf })
  }

  write(): void {
    this.#writeMissingTask()
    for (const { line, shown } of this.#thread.lines) {
      if (!shown) this.#entries.raw(line)
      else if (line.type === 'assistant' && isMessage(line)) this.#assistant(line)
      else if (line.type === 'user' && isMessage(line)) this.#user(line)
      else if (line.type === 'attachment') this.#attachment(line)
      else if (line.type === 'system') this.#system(line)
      else this.#entries.raw(line)
    }
    this.#turns.endTurn(this.#context.finished ? 'finished' : undefined)
  }

  #writeMissingTask(): void {
    const { task } = this.#context
    const first = this.#thread.lines.find(({ line, shown }) => shown && isMessage(line))?.line
    if (task === null || first?.type !== 'assistant') return
    this.#turns.startTurn(first.time, true)
    this.#entries.message({ ...first, uuid: 'task' }, this.#asker, [{ type: 'text', text: task }])
  }

  #assistant(line: Line): void {
    const message = this.#messages.get(line)
    // A further line of a message that stands at its first line.
    if (message === undefined) return
    this.#turns.step({ ...message, id: this.#entries.uniqueId(message.id) })
    for (const { line: from, block } of message.unknown) {
      this.#entries.rawValue(`assistant:${textField(asRecord(block), 'type') ?? 'unknown'}`, from, block)
    }
  }

  #user(line: Line): void {
    const kind = userKind(line)
    if (blocksOf(line).length === 0) this.#entries.raw(line)
    else if (kind === 'results') this.#resultLine(line)
    else if (kind !== 'compact-summary') this.#said(line, kind, blocksOf(line))
    else if (!this.#usedSummaries.has(line)) this.#compaction('unknown', line, line)
  }

  #resultLine(line: Line): void {
    const used = resultsOf(line).map(result => this.#turns.result(result) || this.#isWritten(result))
    if (!used.includes(true)) this.#entries.raw(line)
    const rest = blocksOf(line).filter(block => textField(asRecord(block), 'type') !== 'tool_result')
    const text = plainText(rest)
    if (text.trim() === '') return
    this.#said(line, kindOfText(text) === 'interrupt' ? 'interrupt' : 'context', rest)
  }

  /** A result may have been written before its line came: at the end of its call's step. */
  #isWritten({ callId, line }: ToolResult): boolean {
    return this.#calls.has(callId) && this.#results.get(callId)?.line === line
  }

  #said(line: Line, kind: TextKind, blocks: readonly JsonValue[]): void {
    const text = plainText(blocks)
    switch (kind) {
      case 'interrupt':
        if (this.#turns.isOpen) this.#turns.endTurn('interrupt')
        else this.#entries.raw(line)
        return
      case 'command':
        this.#turns.startTurn(line.time, false)
        this.#entries.message(line, this.#asker, [{ type: 'text', text: typedCommand(text) }])
        return
      case 'prompt':
        this.#turns.startTurn(line.time, true)
        this.#entries.message(line, this.#asker, toContent(blocks))
        return
      case 'settlement':
      case 'teammate':
        // Word from an agent wakes an idle session; a busy one reads it on the way.
        if (!this.#turns.isBusy) this.#turns.startTurn(line.time, false)
        this.#entries.message(line, this.#sender(kind, text), toContent(blocks))
        return
      case 'context':
        this.#entries.message(line, { kind: 'context' }, toContent(blocks))
        return
    }
  }

  #sender(kind: 'settlement' | 'teammate', text: string): MessageSource {
    if (kind === 'teammate') return this.#context.parentId === null ? { kind: 'report' } : this.#asker
    const from = this.#context.sessionOf(tag(text, 'task-id')?.trim() ?? '')
    return { kind, ...(from !== null && { from }) }
  }

  /** Of the many attachments only a queued command is something that was said. */
  #attachment(line: Line): void {
    const attachment = recordField(line.value, 'attachment')
    const prompt = field(attachment, 'prompt')
    if (textField(attachment, 'type') !== 'queued_command' || prompt === undefined || prompt === null) {
      this.#entries.raw(line)
      return
    }
    const text = typeof prompt === 'string' ? prompt : JSON.stringify(prompt)
    const blocks = Array.isArray(prompt) ? prompt : [{ type: 'text', text }]
    const kind = kindOfText(plainText(blocks))
    if (kind === 'prompt' && this.#turns.isOpen) {
      this.#turns.ask()
      this.#entries.message(line, this.#asker, toContent(blocks))
    } else {
      this.#said(line, kind, blocks)
    }
  }

  #system(line: Line): void {
    const subtype = textField(line.value, 'subtype')
    if (subtype === 'compact_boundary') {
      const trigger = textField(recordField(line.value, 'compactMetadata'), 'trigger')
      this.#compaction(trigger ?? 'unknown', this.#summaries.get(line) ?? null, line)
    } else if (subtype === 'api_error' && this.#turns.isOpen) {
      this.#entries.retry(line)
    } else {
      if (subtype === 'turn_duration') this.#turns.settle()
      this.#entries.raw(line)
    }
  }

  #compaction(reason: string, summary: Line | null, at: Line): void {
    this.#turns.endStep()
    this.#entries.compaction(reason, summary === null ? null : plainText(blocksOf(summary)), at.time)
  }
}

/** Each compaction boundary with the summary line that belongs to it: the next one before another boundary. */
function summariesOf(lines: readonly Line[]): ReadonlyMap<Line, Line> {
  const found = new Map<Line, Line>()
  let boundary: Line | null = null
  for (const line of lines) {
    if (line.type === 'system' && textField(line.value, 'subtype') === 'compact_boundary') boundary = line
    if (boundary === null || line.type !== 'user' || !isMessage(line)) continue
    if (userKind(line) !== 'compact-summary') continue
    found.set(boundary, line)
    boundary = null
  }
  return found
}

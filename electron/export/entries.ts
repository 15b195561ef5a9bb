import {
  type EventOf,
  type MessageSource,
  readEvent,
  type SessionEvent,
  type StoredEvent,
} from '#shared/session/events.ts'
import type { Damage } from '#shared/session/inspection.ts'
import type { TurnEndReason } from '#shared/session/outcome.ts'
import { toolLine } from '#shared/session/tool-line.ts'
import type { CallEntry, Entry } from './entry.ts'
import type { LogItem } from './export-shapes.ts'

const AUTHORS: Readonly<Record<MessageSource['kind'], string>> = {
  person: 'You',
  parent: 'Parent',
  settlement: 'Result of a child',
  report: 'Report of a child',
  context: 'Context',
}

/** Folds the log of one session into what a person reads. A call stands where its result came. */
export class Entries {
  readonly #agent: string
  readonly #seedLength: number
  /** Asked for or started, and without a result so far. */
  readonly #open = new Map<string, CallEntry>()

  constructor(agent: string, seedLength: number) {
    this.#agent = agent
    this.#seedLength = seedLength
  }

  of(item: LogItem): readonly Entry[] {
    switch (item.kind) {
      case 'event':
      case 'closer':
        return [...this.#beforeOwn(item.event), ...this.#ofStored(item.event)]
      case 'damage':
        return [{ kind: 'note', text: damageText(item.damage), tone: 'warning' }]
      case 'output':
        return [{ kind: 'output', text: item.text }]
      case 'problem':
        return [{ kind: 'note', text: item.sentence, tone: 'warning' }]
      case 'row':
        return [{ kind: 'json', title: `Row ${item.seq}, ${item.type}, as it is stored`, value: item.text }]
    }
  }

  /** Calls that nothing was heard of. */
  end(): readonly Entry[] {
    const left = [...this.#open.values()]
    this.#open.clear()
    return left
  }

  #beforeOwn({ seq }: StoredEvent): readonly Entry[] {
    if (seq !== this.#seedLength || seq === 0) return []
    return [{ kind: 'note', text: 'Everything above was inherited.', tone: 'plain' }]
  }

  #ofStored(stored: StoredEvent): readonly Entry[] {
    const event = readEvent(stored)
    if (event !== null) return this.#ofEvent(event)
    return [{ kind: 'json', title: `Event ${stored.seq}, ${stored.type}`, value: stored.data }]
  }

  #ofEvent(event: SessionEvent): readonly Entry[] {
    const { type, time, data } = event
    switch (type) {
      case 'user/message':
        return [{ kind: 'message', author: AUTHORS[data.source.kind], time, content: data.content }]
      case 'assistant/message':
        return this.#ofAnswer(event)
      case 'tool/call':
        this.#open.set(data.callId, callOf(time, data))
        return []
      case 'tool/result':
        return [this.#settle(event)]
      case 'approval/asked':
        return [note(`Asked for approval: ${wordsOf(data.name, data.input)}`)]
      case 'approval/decided':
        return [note(`Approval: ${data.decision.kind === 'allow' ? 'allowed' : data.decision.kind}`)]
      case 'turn/end':
        return [...this.end(), ...(data.reason.kind === 'completed' ? [] : [note(endText(data.reason))])]
      case 'compaction/summary':
        return [
          note(`Events ${data.fromSeq} to ${data.toSeq} were summed up for the model:`),
          { kind: 'message', author: 'Summary', time, content: [{ type: 'text', text: data.summary }] },
        ]
      case 'llm/retry':
        return [note(`Attempt ${data.attempt} failed: ${data.message}`)]
      case 'model/changed':
        return [note(`The model is now ${data.route.model} of ${data.route.provider}.`)]
      case 'subagent/settled':
        return [note(`The child ${data.label} ended: ${data.outcome}`)]
      case 'subagent/report':
        return [
          {
            kind: 'message',
            author: `Report of ${data.label}`,
            time,
            content: [{ type: 'text', text: data.output }],
          },
        ]
      case 'import/raw':
        return [
          {
            kind: 'json',
            title: `Line ${data.line} of the imported file, ${data.lineType}`,
            value: data.value,
          },
        ]
      default:
        return []
    }
  }

  #ofAnswer({ time, data }: EventOf<'assistant/message'>): readonly Entry[] {
    const entries: Entry[] = []
    for (const block of data.content) {
      if (block.type === 'tool-call') {
        this.#open.set(block.callId, callOf(time, block))
      } else if (block.type === 'reasoning') {
        entries.push({ kind: 'thinking', time, text: block.text })
      } else {
        entries.push({
          kind: 'message',
          author: this.#agent,
          time,
          content: [{ type: 'text', text: block.text }],
        })
      }
    }
    return data.interrupted ? [...entries, note('The answer was cut off.')] : entries
  }

  #settle({ time, data }: EventOf<'tool/result'>): CallEntry {
    const call = this.#open.get(data.callId) ?? callOf(time, { name: data.name, input: null })
    this.#open.delete(data.callId)
    const {
      status,
      content,
      code = null,
      durationMs = null,
      summary = null,
      diff = null,
      output = null,
    } = data
    return { ...call, result: { status, code, content, durationMs, summary, diff, output } }
  }
}

function callOf(
  time: number,
  { name, input, childId }: Pick<EventOf<'tool/call'>['data'], 'name' | 'input' | 'childId'>,
): CallEntry {
  return { kind: 'call', time, line: wordsOf(name, input), input, childId: childId ?? null, result: null }
}

function wordsOf(name: string, input: unknown): string {
  const { verb, target } = toolLine(name, input)
  return `${verb} ${target}`.trim()
}

function note(text: string): Entry {
  return { kind: 'note', text, tone: 'plain' }
}

function damageText(damage: Damage): string {
  switch (damage.kind) {
    case 'damaged-tail':
      return `The end of this record is damaged: ${damage.lost} events from ${damage.fromSeq} on cannot be read.`
    case 'log-gap':
      return `Events ${damage.fromSeq} to ${damage.toSeq} are missing here.`
    case 'log-undecodable':
      return `Event ${damage.seq} cannot be read.`
  }
}

function endText(reason: Exclude<TurnEndReason, { kind: 'completed' }>): string {
  switch (reason.kind) {
    case 'aborted':
      return reason.by === 'limit' ? 'Limit reached' : 'Stopped'
    case 'error':
      return `Failed: ${reason.message}`
    case 'blocked':
      return 'Failed: the model declined to go on'
    case 'max-tokens':
      return 'Failed: the answer reached the token limit of the model'
    case 'interrupted':
      return 'Interrupted'
  }
}

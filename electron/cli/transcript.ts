import { textOf } from '#shared/session/content.ts'
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
import { localTime, plural } from './numbers.ts'
import { plainLine, plainText } from './plain-text.ts'

export interface Transcript {
  readonly events: readonly StoredEvent[]
  readonly damage: readonly Damage[]
  readonly seedLength: number
  readonly label: string | null
}

const AUTHORS: Readonly<Record<MessageSource['kind'], string>> = {
  person: 'You',
  parent: 'Parent',
  settlement: 'Result of a child',
  report: 'Report of a child',
  context: 'Context',
}

/** A history as text: who said it and when, what was said, a line for each call. Damage stands where it is. */
export function transcriptLines({ events, damage, seedLength, label }: Transcript): string[] {
  const agent = plainLine(label ?? '') || 'Agent'
  const holes = damage.map(item => ({ seq: 'seq' in item ? item.seq : item.fromSeq, text: damageText(item) }))
  const lines: string[] = []
  const first = events[0]?.seq ?? 0
  for (const stored of events) {
    for (const hole of holes.splice(0, holes.filter(({ seq }) => seq < stored.seq).length))
      lines.push(divider(hole.text))
    if (stored.seq === seedLength && first < seedLength) lines.push(divider('everything above was inherited'))
    const event = readEvent(stored)
    if (event !== null) lines.push(...linesOf(event, agent))
  }
  return [...lines, ...holes.map(({ text }) => divider(text))]
}

export function damageText(damage: Damage): string {
  switch (damage.kind) {
    case 'damaged-tail':
      return `The last ${plural(damage.lost, 'event')} from ${damage.fromSeq} on cannot be read.`
    case 'log-gap':
      return `Events ${damage.fromSeq} to ${damage.toSeq} are missing.`
    case 'log-undecodable':
      return `Event ${damage.seq} cannot be read.`
  }
}

function linesOf(event: SessionEvent, agent: string): string[] {
  const { type, data } = event
  switch (type) {
    case 'user/message':
      return message(AUTHORS[data.source.kind], event, textOf(data.content))
    case 'assistant/message': {
      const text = textOf(data.content.filter(block => block.type === 'text'))
      const said = text === '' ? [] : message(agent, event, text)
      return data.interrupted ? [...said, divider('the answer was cut off')] : said
    }
    case 'tool/result':
    case 'tool/call':
      return [callLine(event)]
    case 'approval/asked':
      return [divider(`asked: ${words(toolLine(data.name, data.input))}`)]
    case 'approval/decided':
      return [divider(`answered: ${data.decision.kind}`)]
    case 'turn/end':
      return data.reason.kind === 'completed' ? [] : [divider(endText(data.reason))]
    case 'compaction/summary':
      return [divider(`events ${data.fromSeq} to ${data.toSeq} were summed up for the model`)]
    case 'llm/retry':
      return [divider(`attempt ${data.attempt} failed: ${plainLine(data.message)}`)]
    case 'subagent/settled':
      return [divider(`child ${plainLine(data.label)} ended: ${data.outcome}`)]
    case 'subagent/report':
      return message(`Report of ${plainLine(data.label)}`, event, data.output)
    default:
      return []
  }
}

function message(author: string, { time }: { readonly time: number }, text: string): string[] {
  return ['', `${author}  ${localTime(time)}`, plainText(text)]
}

function callLine(event: EventOf<'tool/call'> | EventOf<'tool/result'>): string {
  if (event.type === 'tool/call') return `  > ${words(toolLine(event.data.name, event.data.input))}`
  const { status, summary, code, name } = event.data
  const note = plainLine(summary ?? code ?? '')
  return `  ${status === 'ok' ? '=' : '!'} ${plainLine(name)}: ${status === 'ok' ? 'ok' : 'failed'}${note && `, ${note}`}`
}

function words({ verb, target }: { readonly verb: string; readonly target: string }): string {
  return plainLine(`${verb} ${target}`)
}

function divider(text: string): string {
  return `— ${text} —`
}

function endText(reason: Exclude<TurnEndReason, { kind: 'completed' }>): string {
  switch (reason.kind) {
    case 'aborted':
      return reason.by === 'limit' ? 'limit reached' : 'stopped'
    case 'error':
      return `failed: ${plainLine(reason.message)}`
    case 'blocked':
      return 'failed: the model declined to go on'
    case 'max-tokens':
      return 'failed: the answer reached the token limit of the model'
    case 'interrupted':
      return 'interrupted'
  }
}

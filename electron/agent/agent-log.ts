import {
  type EventData,
  type ModelRoute,
  readEvent,
  type SessionEvent,
  type StoredEvent,
} from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { TurnEndReason } from '#shared/session/outcome.ts'
import { forEachInSlices } from '../slices.ts'
import { ModelContext } from './model-context.ts'
import { OpenTurn } from './open-turn.ts'

/** What an agent needs to know of its log, folded event by event: what is owed, and what the model is sent. */
export class AgentLog {
  readonly context = new ModelContext()
  readonly openTurn = new OpenTurn()
  readonly #seedLength: number
  #turn = 0
  #ownTurns = 0
  #inbox: EventData<'inbox/queued'>[] = []
  readonly #granted = new Set<string>()
  #requestHeader: string | null = null
  readonly #settled = new Map<SessionId, number>()
  /** Children that calls of the open turn wait for, by call id. */
  readonly #awaited = new Map<string, SessionId>()
  readonly #cutOff = new Set<SessionId>()
  readonly #callIds = new Set<string>()
  #route: ModelRoute | null = null
  #lastText = ''
  #isCutShort = false

  /** Of a log that holds nothing yet. */
  constructor(header: SessionHeader) {
    this.#seedLength = header.seedLength ?? 0
  }

  /** Of these events, which may be many: they come in parts, and the main loop runs on meanwhile. */
  static async read(
    header: SessionHeader,
    parts: AsyncIterable<readonly StoredEvent[]> | Iterable<readonly StoredEvent[]>,
  ): Promise<AgentLog> {
    const log = new AgentLog(header)
    for await (const events of parts) await forEachInSlices(events, event => log.apply(event))
    return log
  }

  /** The open turn, else the last one; 0 before the first. */
  get turn(): number {
    return this.#turn
  }

  get ownTurns(): number {
    return this.#ownTurns
  }

  get inbox(): readonly EventData<'inbox/queued'>[] {
    return this.#inbox
  }

  /** Patterns that a person allowed for the session. */
  get granted(): ReadonlySet<string> {
    return this.#granted
  }

  /** The last `request/header`, as JSON text. */
  get requestHeader(): string | null {
    return this.#requestHeader
  }

  /** Ids of all calls that were ever made here. */
  get callIds(): ReadonlySet<string> {
    return this.#callIds
  }

  /** Per child, the seq of its last end that was told here, by a result or by a message. */
  get settled(): ReadonlyMap<SessionId, number> {
    return this.#settled
  }

  /** Children whose call was cut off by the end of a process, and whose own end was not told here since. */
  get cutOff(): ReadonlySet<SessionId> {
    return this.#cutOff
  }

  /** Where requests go as last recorded here. */
  get route(): ModelRoute | null {
    return this.#route
  }

  /** Its last own turn failed, met a limit, or was interrupted with its process: what was asked is not answered. */
  get isCutShort(): boolean {
    return this.#isCutShort
  }

  /** The text of the last own message of the model. */
  get lastText(): string {
    return this.#lastText
  }

  apply(stored: StoredEvent): void {
    const event = readEvent(stored)
    this.context.apply(stored)
    this.openTurn.apply(stored, event)
    if (event === null) return
    this.#applyAny(event)
    if (stored.seq >= this.#seedLength) this.#applyOwn(event)
  }

  /** Facts that an inherited prefix tells as well. */
  #applyAny(event: SessionEvent): void {
    switch (event.type) {
      case 'turn/start':
        this.#turn = event.data.turn
        break
      case 'assistant/message':
        for (const block of event.data.content)
          if (block.type === 'tool-call') this.#callIds.add(block.callId)
        break
      case 'request/header':
        this.#requestHeader = JSON.stringify(event.data)
        break
      default:
    }
  }

  #applyOwn(event: SessionEvent): void {
    switch (event.type) {
      case 'turn/start':
        this.#ownTurns += 1
        this.#isCutShort = false
        break
      case 'turn/end':
        this.#awaited.clear()
        this.#isCutShort = isCutShort(event.data.reason)
        break
      case 'assistant/message':
        this.#lastText = lastTextOf(event.data) || this.#lastText
        break
      case 'request/header':
      case 'model/changed':
        this.#route = event.data.route
        break
      case 'inbox/queued':
        this.#inbox = [...this.#inbox, event.data]
        break
      case 'inbox/claimed':
      case 'inbox/cancelled':
        this.#inbox = this.#inbox.filter(({ messageId }) => !event.data.messageIds.includes(messageId))
        break
      case 'approval/decided':
        this.#grant(event.data)
        break
      case 'tool/call':
        if (event.data.childId !== undefined) this.#awaited.set(event.data.callId, event.data.childId)
        break
      case 'tool/result': {
        const childId = this.#awaited.get(event.data.callId)
        if (childId === undefined) break
        this.#told(childId, event.data.childSeq ?? -1)
        if (event.data.code === 'TOOL_OUTCOME_UNKNOWN') this.#cutOff.add(childId)
        break
      }
      case 'subagent/settled':
        this.#told(event.data.childId, event.data.childSeq)
        break
      default:
    }
  }

  #grant({ approvalId, decision }: EventData<'approval/decided'>): void {
    const question = this.openTurn.questions.get(approvalId)
    if (question === undefined || decision.kind !== 'allow' || decision.scope !== 'session') return
    this.#granted.add(question.pattern)
  }

  #told(childId: SessionId, childSeq: number): void {
    this.#settled.set(childId, Math.max(childSeq, this.#settled.get(childId) ?? -1))
    this.#cutOff.delete(childId)
  }
}

function isCutShort(reason: TurnEndReason): boolean {
  if (reason.kind === 'aborted') return reason.by === 'limit' || reason.by === 'disposed'
  return reason.kind === 'error' || reason.kind === 'interrupted' || reason.kind === 'max-tokens'
}

function lastTextOf({ content }: EventData<'assistant/message'>): string {
  return content
    .flatMap(block => (block.type === 'text' ? [block.text] : []))
    .join('\n\n')
    .trim()
}

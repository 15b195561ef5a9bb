import { textOf } from '#shared/session/content.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { eventsOf } from '../tree-fixture.ts'
import type { Look } from './look.ts'
import { markerOf } from './scenes.ts'
import { fingerprint, type Statement } from './testimony.ts'
import type { Verdict } from './verdict.ts'

type Logs = ReadonlyMap<SessionId, readonly StoredEvent[]>

/** Everything that was ever promised in a folder, by all its lives. */
export class Promises {
  readonly #prints = new Map<SessionId, string[]>()
  readonly #messages = new Map<string, SessionId>()
  readonly #drafts = new Map<string, { session: SessionId; length: number }>()
  readonly #outputs = new Map<string, { session: SessionId; size: number }>()
  readonly #asked = new Set<string>()

  /** @returns how many events this promises that were not promised before. */
  hear(statement: Statement, verdict: Verdict): number {
    switch (statement.kind) {
      case 'saved':
        return this.#hearSaved(statement, verdict)
      case 'message':
        this.#messages.set(statement.messageId, statement.session)
        break
      case 'draft':
        this.#drafts.set(statement.messageId, statement)
        break
      case 'output':
        this.#outputs.set(statement.id, statement)
        break
      case 'asked':
        this.#asked.add(statement.marker)
        break
      case 'fault':
        verdict.fault('faults', statement.what)
        break
      default:
    }
    return 0
  }

  /** Holds what is there against what was promised. */
  prove(looks: readonly Look[], verdict: Verdict): void {
    const logs: Logs = new Map(looks.map(({ id, inspection }) => [id, inspection.events]))
    this.#proveEvents(looks, verdict)
    this.#proveMessages(logs, verdict)
    this.#proveRequests(logs, verdict)
    this.#proveDrafts(logs, verdict)
    this.#proveOutputs(looks, verdict)
  }

  /** What closes a log in memory only does not stand in for what was promised. */
  #proveEvents(looks: readonly Look[], verdict: Verdict): void {
    const stored: Logs = new Map(
      looks.map(({ id, inspection: { events, closers } }) => [id, events.slice(0, events.length - closers)]),
    )
    for (const [id, prints] of this.#prints) {
      const log = stored.get(id) ?? []
      for (const [seq, print] of prints.entries()) {
        const event = log[seq]
        if (event === undefined) verdict.fault('lost', `event ${seq} of ${id}`)
        else if (fingerprint(event) !== print) verdict.fault('altered', `event ${seq} of ${id}`)
      }
    }
  }

  #proveMessages(logs: Logs, verdict: Verdict): void {
    for (const [messageId, id] of this.#messages) {
      const queued = eventsOf(logs.get(id) ?? [], 'inbox/queued')
      if (!queued.some(({ data }) => data.messageId === messageId))
        verdict.fault('lost', `message ${messageId} to ${id}`)
    }
  }

  /** The model was asked only after what it was asked was durable. */
  #proveRequests(logs: Logs, verdict: Verdict): void {
    const messages = [...logs.values()].flatMap(log => eventsOf(log, 'user/message'))
    const said = new Set(messages.map(({ data }) => markerOf(textOf(data.content))))
    for (const marker of this.#asked) {
      if (!said.has(marker)) verdict.fault('lost', `what a model was asked with ${marker}`)
    }
  }

  #hearSaved({ session, seq, prints }: Extract<Statement, { kind: 'saved' }>, verdict: Verdict): number {
    const known = this.#prints.get(session) ?? []
    this.#prints.set(session, known)
    if (seq > known.length)
      verdict.fault('holes', `event ${seq} of ${session} came after ${known.length - 1}`)
    const before = known.length
    for (const [index, print] of prints.entries()) {
      const promised = known[seq + index]
      known[seq + index] = promised ?? print
      if (promised !== undefined && promised !== print)
        verdict.fault('altered', `event ${seq + index} of ${session} was promised twice, and differently`)
    }
    return known.length - before
  }

  #proveOutputs(looks: readonly Look[], verdict: Verdict): void {
    const kept = new Map(looks.map(({ id, outputs }) => [id, outputs]))
    for (const [id, { session, size }] of this.#outputs) {
      const there = kept.get(session)?.get(id)?.length ?? 0
      if (there < size) verdict.fault('lost', `${size - there} bytes of output ${id}`)
    }
  }

  #proveDrafts(logs: Logs, verdict: Verdict): void {
    for (const [messageId, { session, length }] of this.#drafts) {
      const message = eventsOf(logs.get(session) ?? [], 'assistant/message').find(
        ({ data }) => data.id === messageId,
      )
      const kept = message === undefined ? 0 : textOf(message.data.content).length
      if (kept < length) verdict.fault('lost', `${length - kept} characters of message ${messageId}`)
    }
  }
}

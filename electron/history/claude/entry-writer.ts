import type { Content } from '#shared/session/content.ts'
import type { EventData, MessageSource } from '#shared/session/events.ts'
import { localId } from '../imported-ids.ts'
import { countField, field, type JsonValue, recordField, textField } from '../json-fields.ts'
import type { EventLog } from './event-log.ts'
import type { Line } from './line.ts'

/** Appends what stands on its own in a log: messages to the model, markers, lines kept whole. */
export class EntryWriter {
  readonly #log: EventLog
  readonly #ids = new Set<string>()

  constructor(log: EventLog) {
    this.#log = log
  }

  message(line: Line, source: MessageSource, content: Content): void {
    const id = this.uniqueId(localId(line.uuid || `line-${line.no}`))
    this.#log.add({ type: 'user/message', data: { id, source, content } }, line.time)
  }

  /** A log names each message once, however often the file names it. */
  uniqueId(id: string): string {
    let unique = id
    for (let count = 2; this.#ids.has(unique); count += 1) unique = localId(`${id}-${count}`)
    this.#ids.add(unique)
    return unique
  }

  raw(line: Line): void {
    const subtype = textField(line.value, 'subtype')
    this.rawValue(`${line.type || 'unknown'}${subtype === null ? '' : `:${subtype}`}`, line, line.value)
  }

  rawValue(lineType: string, line: Line, value: JsonValue): void {
    this.#log.add({ type: 'import/raw', data: { lineType, line: line.no, value } }, line.time)
  }

  /** Shadows everything so far. `summary` null: the file does not say what the model was left with. */
  compaction(reason: string, summary: string | null, time: number | null): void {
    const toSeq = this.#log.length - 1
    this.#log.add({ type: 'compaction/start', data: { reason } }, time)
    if (summary !== null) {
      this.#log.add({ type: 'compaction/summary', data: { fromSeq: 0, toSeq, summary } }, time)
    }
    this.#log.add({ type: 'compaction/end', data: {} }, time)
  }

  retry({ value, time }: Line): void {
    const error = recordField(value, 'error')
    const code = field(error, 'status') ?? field(recordField(error, 'connection'), 'code')
    const data: EventData<'llm/retry'> = {
      attempt: countField(value, 'retryAttempt') ?? 0,
      delayMs: countField(value, 'retryInMs') ?? 0,
      code: typeof code === 'string' || typeof code === 'number' ? String(code) : 'api_error',
      message: textField(error, 'formatted') ?? textField(error, 'message') ?? 'The request failed.',
    }
    this.#log.add({ type: 'llm/retry', data }, time)
  }
}

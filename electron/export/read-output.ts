import { createTextRedactor } from '#shared/redaction/redact-stream.ts'
import { type OutputRef, readEvent, type StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { OutputStore } from '../store/output-store.ts'
import type { LogItem } from './export-shapes.ts'

const PART_BYTES = 196_608

/** What a call put out beside the log, where its result says so. */
export function outputOf(event: StoredEvent): OutputRef | null {
  const read = event.type === 'tool/result' ? readEvent(event) : null
  return read?.type === 'tool/result' ? (read.data.output ?? null) : null
}

interface OutputRequest {
  readonly outputs: Pick<OutputStore, 'read'>
  readonly sessionId: SessionId
  readonly ref: OutputRef
  /** `null`: as the bytes are. Else values that are secret for certain. */
  readonly redact: { readonly known: readonly string[] } | null
}

/**
 * All of an output, in parts. Without redaction as base64, so that every byte comes back; redacted as text, and then a
 * binary one is left out: nobody can tell what it holds.
 */
export async function* outputItems(
  { outputs, sessionId, ref, redact }: OutputRequest,
  signal?: AbortSignal,
): AsyncGenerator<LogItem> {
  if (redact !== null && ref.binary === true) {
    yield { kind: 'problem', sentence: 'A binary output cannot be redacted and was left out.' }
    return
  }
  const decoder = new TextDecoder()
  const redactor = redact === null ? null : createTextRedactor(redact)
  const encoding = redactor === null ? 'base64' : 'text'
  const item = (text: string): LogItem => ({ kind: 'output', id: ref.id, encoding, text })
  for (let from = 0; ; ) {
    const slice = await outputs.read(sessionId, ref.id, { from, length: PART_BYTES }, signal)
    if (slice === null) {
      yield { kind: 'problem', sentence: `The output of the call ${ref.id} is not stored any more.` }
      return
    }
    const isLast = slice.bytes.length === 0 || from + slice.bytes.length >= slice.size
    const text =
      redactor === null
        ? Buffer.from(slice.bytes).toString('base64')
        : redactor.push(decoder.decode(slice.bytes, { stream: !isLast }))
    if (text !== '') yield item(text)
    from += slice.bytes.length
    if (!isLast) continue
    const rest = redactor?.end() ?? ''
    if (rest !== '') yield item(rest)
    return
  }
}

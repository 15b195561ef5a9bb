import type { z } from 'zod'
import type { OutputPart, outputRangeSchema } from '#shared/contract/history-shapes.ts'
import { WorkbenchError } from '#shared/errors.ts'
import { restOfCharacter, unfinishedBytes } from '#shared/utf8.ts'
import type { OutputStore } from '../store/output-store.ts'

type OutputRange = z.infer<typeof outputRangeSchema>

/** Bytes before the range that tell whether it begins inside a character. */
const CONTEXT = 3

/**
 * A part of an output. Text begins and ends between characters, so parts read one after the other, each from the `to` of
 * the last, join to the whole text; bytes that are no UTF-8 are marks in it, and what is stored stays exact.
 * @throws WorkbenchError `BAD_REQUEST` when the session has no such output, `SESSION_DAMAGED` where bytes of it are lost.
 */
export async function readOutput(
  outputs: Pick<OutputStore, 'read'>,
  { sessionId, id, from, length, as }: OutputRange,
  signal?: AbortSignal,
): Promise<OutputPart> {
  const context = as === 'text' ? Math.min(CONTEXT, from) : 0
  const range = { from: from - context, length: length + context }
  const slice = await outputs.read(sessionId, id, range, signal)
  if (slice === null) throw new WorkbenchError('BAD_REQUEST', 'This session has no such output.')
  const { bytes, size } = slice
  if (as === 'bytes') {
    const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
    return { from, to: from + bytes.length, size, part: { kind: 'bytes', base64 } }
  }
  const before = Math.min(context, bytes.length)
  const first = before + restOfCharacter(bytes, before)
  const isEnd = from - context + bytes.length >= size
  const last = isEnd ? bytes.length : bytes.length - unfinishedBytes(bytes)
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(
    bytes.subarray(first, Math.max(first, last)),
  )
  const start = from - context
  if (start + last <= from && from < size)
    throw new WorkbenchError('SESSION_DAMAGED', 'Part of this output is lost.')
  return { from: start + first, to: start + Math.max(first, last), size, part: { kind: 'text', text } }
}

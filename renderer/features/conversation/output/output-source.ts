import { MOST_PART_LENGTH, type OutputPart } from '#shared/contract/history-shapes.ts'
import type { CutText } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Client } from '../../../store/client.ts'
import type { ByteRange } from './held-lines.ts'

/** One output of one session, read from the workbench part by part. */
export interface OutputSource {
  readonly read: (
    range: ByteRange,
    signal: AbortSignal,
  ) => Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly size: number }>
}

export function outputSource(client: Client, sessionId: SessionId, id: string): OutputSource {
  return sourceOf((range, signal) =>
    client.history.output({ sessionId, id, ...range, as: 'bytes' }, { signal }),
  )
}

/** A text of an event that came shortened. */
export function textSource(
  client: Client,
  sessionId: SessionId,
  seq: number,
  path: CutText['path'],
): OutputSource {
  return sourceOf((range, signal) =>
    client.history.text({ sessionId, seq, path: [...path], ...range, as: 'bytes' }, { signal }),
  )
}

function sourceOf(call: (range: ByteRange, signal: AbortSignal) => Promise<OutputPart>): OutputSource {
  return {
    read: async ({ from, length }, signal) => {
      const most = Math.min(Math.max(length, LEAST), MOST_PART_LENGTH)
      const { part, size } = await call({ from, length: most }, signal)
      const bytes = part.kind === 'bytes' ? fromBase64(part.base64) : new TextEncoder().encode(part.text)
      return { bytes: bytes.subarray(0, length), size }
    },
  }
}

/** The contract's least length of a part. */
const LEAST = 4

function fromBase64(base64: string): Uint8Array<ArrayBuffer> {
  const chars = atob(base64)
  const bytes = new Uint8Array(chars.length)
  for (let index = 0; index < chars.length; index += 1) bytes[index] = chars.charCodeAt(index)
  return bytes
}

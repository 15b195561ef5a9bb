import type { z } from 'zod'
import type { OutputPart, textRangeSchema } from '#shared/contract/history-shapes.ts'
import { WorkbenchError } from '#shared/errors.ts'
import type { CutText, StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { readOutput } from './read-output.ts'

type TextRange = z.infer<typeof textRangeSchema>

interface Events {
  event(id: SessionId, seq: number, signal?: AbortSignal): Promise<StoredEvent>
}

/** The text that was read last is kept so long: its parts are read one after the other. */
const KEPT_MS = 30_000

/** Texts that are too long for a page, read in parts as outputs are. */
export function createTexts(events: Events, keptMs = KEPT_MS) {
  let last: { readonly key: string; readonly bytes: Uint8Array<ArrayBuffer> } | null = null
  let timer: NodeJS.Timeout | null = null

  async function bytesOf({ sessionId, seq, path }: TextRange, signal?: AbortSignal) {
    const key = JSON.stringify([sessionId, seq, path])
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(() => (last = null), keptMs).unref()
    if (last?.key === key) return last.bytes
    const { data } = await events.event(sessionId, seq, signal)
    const text = valueAt(data, path)
    if (typeof text !== 'string')
      throw new WorkbenchError('BAD_REQUEST', 'There is no such text in this event.')
    const bytes = new TextEncoder().encode(text)
    last = { key, bytes }
    return bytes
  }

  return {
    /** @throws WorkbenchError `BAD_REQUEST` for an event or a text that there is not. */
    async read(range: TextRange, signal?: AbortSignal): Promise<OutputPart> {
      const bytes = await bytesOf(range, signal)
      const read = async (
        _session: SessionId,
        _id: string,
        { from, length }: { from: number; length: number },
      ) => ({
        bytes: bytes.subarray(from, from + length),
        size: bytes.length,
      })
      return readOutput({ read }, { ...range, id: 'text' }, signal)
    },
  }
}

function valueAt(data: unknown, path: CutText['path']): unknown {
  let value: unknown = data
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Readonly<Record<string | number, unknown>>)[key]
  }
  return value
}

import { MOST_PART_LENGTH } from '#shared/contract/history-shapes.ts'
import { offerFile } from '../../../ui/offer-file.ts'
import type { OutputSource } from './output-source.ts'

/**
 * All of an output, exactly as it was printed, to a file of the person's choice. Read in parts, each handed to the browser
 * at once, which keeps big files out of memory. Rejects with the reason of `signal`, or as a read does.
 */
export async function saveOutput(
  source: OutputSource,
  name: string,
  onProgress: (saved: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const parts: Blob[] = []
  let saved = 0
  for await (const bytes of partsOf(source, signal)) {
    parts.push(new Blob([bytes]))
    saved += bytes.length
    onProgress(saved)
  }
  offerFile(new Blob(parts, { type: 'application/octet-stream' }), name)
}

/** All of what is known to be small enough for memory. */
export async function readWhole(source: OutputSource, signal: AbortSignal): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for await (const bytes of partsOf(source, signal)) parts.push(bytes)
  const blob = new Blob(parts)
  return new Uint8Array(await blob.arrayBuffer())
}

async function* partsOf(source: OutputSource, signal: AbortSignal): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let from = 0; ; ) {
    const { bytes, size } = await source.read({ from, length: MOST_PART_LENGTH }, signal)
    signal.throwIfAborted()
    if (bytes.length > 0) yield bytes
    from += bytes.length
    if (from >= size || bytes.length === 0) return
  }
}

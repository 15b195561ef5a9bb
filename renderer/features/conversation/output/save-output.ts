import { MOST_PART_LENGTH } from '#shared/contract/history-shapes.ts'
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
  for (let from = 0; ; ) {
    const { bytes, size } = await source.read({ from, length: MOST_PART_LENGTH }, signal)
    if (bytes.length > 0) parts.push(new Blob([bytes]))
    from += bytes.length
    onProgress(from)
    if (from >= size || bytes.length === 0) break
  }
  signal.throwIfAborted()
  offer(new Blob(parts, { type: 'application/octet-stream' }), name)
}

/** The browser's own way to a file: it asks where, or takes the folder for downloads. */
function offer(content: Blob, name: string): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has its own hold on the content once it has begun.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

import type { ExportFormat, ExportRequest } from '#shared/contract/export-shapes.ts'
import type { Client } from '../../store/client.ts'

/** Events written so far, of how many. */
export interface ExportProgress {
  readonly events: number
  readonly total: number
}

export interface ExportedFile {
  readonly name: string
  readonly content: Blob
}

const TYPES: Readonly<Record<ExportFormat, string>> = {
  md: 'text/markdown',
  html: 'text/html',
  jsonl: 'application/jsonl',
}

/**
 * The file of an export, read in parts that are handed to the browser at once: a long one is never one string. Rejects
 * with the reason of `signal`, or as the call does; then the host is told that nobody reads on.
 */
export async function readExport(
  { exports }: Pick<Client, 'exports'>,
  request: ExportRequest,
  onProgress: (progress: ExportProgress) => void,
  signal: AbortSignal,
): Promise<ExportedFile> {
  const { exportId, label, events: total } = await exports.session(request, { signal })
  try {
    const parts: Blob[] = []
    for (;;) {
      const { text, events, done } = await exports.read({ exportId }, { signal })
      signal.throwIfAborted()
      parts.push(new Blob([text]))
      onProgress({ events, total: Math.max(total, events) })
      if (!done) continue
      const content = new Blob(parts, { type: `${TYPES[request.format]};charset=utf-8` })
      return { name: fileName(label, request), content }
    }
  } catch (error) {
    // It may be over on its own; there is nothing to do about a host that does not answer.
    exports.cancel({ exportId }).catch(() => {})
    throw error
  }
}

/** A name that every system takes: letters and digits of the label, then the short id. */
export function fileName(
  label: string,
  { sessionId, format }: Pick<ExportRequest, 'sessionId' | 'format'>,
): string {
  const words = label
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '')
    .toLowerCase()
  return `${[words, sessionId.slice(0, 8)].filter(part => part !== '').join('-')}.${format}`
}

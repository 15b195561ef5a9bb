import { readByteLines } from '../byte-lines.ts'
import { textField } from '../json-fields.ts'
import { parseLine } from '../parse-line.ts'

const MAX_SUMMARY_BYTES = 1 << 16
const MAX_HEAD_BYTES = 1 << 20

/** What other files of a project need to know of one, without parsing all of it. */
export interface FileHints {
  /** The id that its first lines name. */
  readonly sessionId: string | null
  /** Summary by leaf uuid: summaries lie in the files of other sessions. */
  readonly summaries: ReadonlyMap<string, string>
}

/** One pass over the bytes; only the head and the lines that look like summaries are parsed. */
export async function scanHints(path: string, signal?: AbortSignal): Promise<FileHints> {
  const summaries = new Map<string, string>()
  let sessionId: string | null = null
  for await (const batch of readByteLines(path, signal)) {
    for (const { bytes } of batch) {
      if (bytes === null) continue
      const mayName = sessionId === null && bytes.length < MAX_HEAD_BYTES
      if (!mayName && (bytes.length > MAX_SUMMARY_BYTES || !bytes.includes('"leafUuid"'))) continue
      const parsed = parseLine(bytes)
      if (parsed.kind !== 'record') continue
      sessionId ??= textField(parsed.value, 'sessionId')
      const leaf = textField(parsed.value, 'leafUuid')
      const summary = textField(parsed.value, 'summary')
      if (leaf !== null && summary !== null) summaries.set(leaf, summary)
    }
  }
  return { sessionId, summaries }
}

/** The session an agent's file belongs to, by its first lines. */
export async function sessionOfFile(path: string, signal?: AbortSignal): Promise<string | null> {
  for await (const batch of readByteLines(path, signal)) {
    for (const { bytes } of batch) {
      const parsed = bytes === null ? null : parseLine(bytes)
      const sessionId = parsed?.kind === 'record' ? textField(parsed.value, 'sessionId') : null
      if (sessionId !== null && sessionId !== '') return sessionId
    }
  }
  return null
}

import { stat } from 'node:fs/promises'
import { readByteLines } from '../byte-lines.ts'
import { field, type JsonRecord, recordField, textField } from '../json-fields.ts'
import { parseLine } from '../parse-line.ts'
import { findTranscripts } from './layout.ts'

const HEAD_LINES = 50
const SAMPLE_FILES = 20
const SIDE_TYPES = new Set([
  'summary',
  'system',
  'attachment',
  'progress',
  'file-history-snapshot',
  'queue-operation',
  'last-prompt',
  'permission-mode',
  'mode',
  'custom-title',
  'ai-title',
])

/** Whether some transcript below `path` begins the way this tool writes. An empty `projects` folder counts too. */
export async function looksLikeClaude(path: string): Promise<boolean> {
  try {
    const { projects } = await findTranscripts(path)
    const files = projects.flatMap(({ sessions, flatAgents }) => [
      ...sessions.flatMap(({ main, agents }) => [
        ...(main === null ? [] : [main]),
        ...agents.map(one => one.path),
      ]),
      ...flatAgents.map(agent => agent.path),
    ])
    let isEmpty = files.length > 0
    for (const file of files.slice(0, SAMPLE_FILES)) {
      const head = await headOf(file)
      if (head.some(isOurs)) return true
      if (head.length > 0 || (await stat(file)).size > 0) isEmpty = false
    }
    return isEmpty
  } catch {
    // What cannot be looked into is not recognised; the caller reports the path.
    return false
  }
}

async function headOf(path: string): Promise<JsonRecord[]> {
  const head: JsonRecord[] = []
  let seen = 0
  for await (const batch of readByteLines(path)) {
    for (const { bytes } of batch) {
      seen += 1
      if (seen > HEAD_LINES) return head
      const parsed = bytes === null ? null : parseLine(bytes)
      if (parsed?.kind === 'record') head.push(parsed.value)
    }
  }
  return head
}

function isOurs(line: JsonRecord): boolean {
  const type = textField(line, 'type') ?? ''
  if (type === 'user' || type === 'assistant') return recordField(line, 'message') !== null
  return SIDE_TYPES.has(type) && field(line, 'payload') === undefined
}

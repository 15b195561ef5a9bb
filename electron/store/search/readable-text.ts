import type { EventRow } from '../event-rows.ts'

/** Of a longer text only the beginning is searched: a step of the index must stay short. */
const LONGEST_TEXT = 256 * 1024
/** Longer data is not parsed: its first characters are taken as they are stored. */
export const LONGEST_DATA = 2_000_000
const DEEPEST = 40

type Reader = (data: Fields) => unknown
type Fields = Readonly<Record<string, unknown>>

/**
 * What a person can read of an event, by its type. Left out are copies of something that is found elsewhere: a tool
 * call repeats what its message asked for, a queued message comes again as the message.
 */
const READERS: Readonly<Record<string, Reader>> = {
  'user/message': data => data['content'],
  'assistant/message': data => data['content'],
  'tool/result': data => data['content'],
  'session/title': data => data['title'],
  'subagent/descriptor': data => data['label'],
  'subagent/settled': data => [data['label'], data['text']],
  'subagent/report': data => [data['label'], data['output']],
  'compaction/summary': data => data['summary'],
  'import/raw': data => data['value'],
}
/** Of a block or a value that has a `type`: everything else of it is for machines. */
const BLOCK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  reasoning: ['text'],
  'tool-call': ['name', 'input'],
  image: [],
}

/**
 * The searchable text of a row; empty for one that holds none, `null` for one that cannot be read. Never throws,
 * whatever the row holds.
 */
export function readableText([, , type, data]: EventRow): string | null {
  if (typeof type !== 'string') return null
  const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined
  if (reader === undefined) return ''
  if (typeof data !== 'string') return null
  if (data.length >= LONGEST_DATA) return data.slice(0, LONGEST_TEXT).replaceAll(/\\[nrt]/g, ' ')
  let parsed: unknown
  try {
    parsed = JSON.parse(data)
  } catch {
    // Broken JSON is one of the answers: the row is passed over.
    return null
  }
  if (!isFields(parsed)) return null
  const texts: string[] = []
  collect(reader(parsed), texts, { room: LONGEST_TEXT, depth: 0, isRaw: type === 'import/raw' })
  return texts.length === 1 ? (texts[0] ?? '') : texts.join('\n')
}

interface Collecting {
  room: number
  depth: number
  readonly isRaw: boolean
}

function collect(value: unknown, texts: string[], state: Collecting): void {
  if (state.room <= 0) return
  if (typeof value === 'string') {
    if (value === '' || (state.isRaw && !isProse(value))) return
    texts.push(value.length > state.room ? value.slice(0, state.room) : value)
    state.room -= value.length
    return
  }
  if (typeof value !== 'object' || value === null || state.depth >= DEEPEST) return
  state.depth += 1
  if (Array.isArray(value)) for (const item of value) collect(item, texts, state)
  else if (isFields(value)) for (const key of fieldsOf(value)) collect(value[key], texts, state)
  state.depth -= 1
}

function fieldsOf(value: Fields): readonly string[] {
  const { type } = value
  const known = typeof type === 'string' && Object.hasOwn(BLOCK_FIELDS, type) ? BLOCK_FIELDS[type] : undefined
  return known ?? Object.keys(value)
}

/** Ids, names of types and times are no text. */
function isProse(value: string): boolean {
  return /[\s\u0080-\uffff]/.test(value)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

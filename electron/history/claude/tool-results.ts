import type { EventData } from '#shared/session/events.ts'
import { localId } from '../imported-ids.ts'
import {
  asRecord,
  countField,
  field,
  isTrue,
  type JsonRecord,
  type JsonValue,
  listField,
  recordField,
  textField,
} from '../json-fields.ts'
import { toContent } from './content-blocks.ts'
import type { Line } from './line.ts'
import { blocksOf } from './user-line.ts'

/** One `tool_result` block and the line that has it. */
export interface ToolResult {
  readonly callId: string
  readonly line: Line
  readonly block: JsonRecord
  /** The structured result beside it; only when the line has no other result. */
  readonly detail: JsonRecord | null
}

type ResultData = EventData<'tool/result'>

const EDITORS = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit'])
const REFUSED = "The user doesn't want to"

/** First result of each call, by call id. */
export function toolResults(lines: readonly Line[]): ReadonlyMap<string, ToolResult> {
  const results = new Map<string, ToolResult>()
  for (const line of lines) {
    if (line.type !== 'user') continue
    for (const result of resultsOf(line)) if (!results.has(result.callId)) results.set(result.callId, result)
  }
  return results
}

export function resultsOf(line: Line): ToolResult[] {
  const blocks = blocksOf(line)
    .map(asRecord)
    .filter(block => textField(block, 'type') === 'tool_result')
  const detail = blocks.length === 1 ? recordField(line.value, 'toolUseResult') : null
  return blocks.flatMap(block => {
    const id = textField(block, 'tool_use_id')
    return block === null || id === null || id === '' ? [] : [{ callId: localId(id), line, block, detail }]
  })
}

export function resultText(block: JsonRecord | null): string {
  const content = field(block, 'content')
  if (typeof content === 'string') return content
  return listField(block, 'content')
    .map(part => textField(asRecord(part), 'text') ?? '')
    .join('\n')
}

/** What a `tool/result` says beside its place: status, content and, for edits, the diff. */
export function resultData(
  { block, line, detail }: ToolResult,
  call: { readonly name: string; readonly input: JsonValue; readonly time: number | null },
  cwd: string | null,
): Omit<ResultData, 'turn' | 'step' | 'callId' | 'name'> {
  const failed = isTrue(block, 'is_error')
  const text = resultText(block)
  const refused = failed && (text.startsWith(REFUSED) || textField(line.value, 'toolDenialKind') !== null)
  const content = field(block, 'content')
  const stated = countField(detail, 'totalDurationMs') ?? countField(detail, 'durationMs')
  const elapsed =
    line.time !== null && call.time !== null && line.time >= call.time ? line.time - call.time : null
  const durationMs = stated ?? elapsed
  const summary = failed ? null : summaryOf(detail)
  return {
    status: failed ? 'error' : 'ok',
    ...(refused && { code: 'DENIED' }),
    content: toContent(
      typeof content === 'string' ? [{ type: 'text', text: content }] : listField(block, 'content'),
    ),
    ...(durationMs !== null && { durationMs }),
    ...(summary !== null && { summary }),
    ...(!failed && EDITORS.has(call.name) && changeOf(detail, call.input, cwd)),
  }
}

function summaryOf(detail: JsonRecord | null): string | null {
  const file = recordField(detail, 'file')
  const lines = countField(file, 'numLines')
  if (lines !== null) return lines === 1 ? '1 line' : `${lines} lines`
  const files = countField(detail, 'numFiles')
  if (files !== null) return files === 1 ? '1 file' : `${files} files`
  const uses = countField(detail, 'totalToolUseCount')
  return uses === null ? null : uses === 1 ? '1 call' : `${uses} calls`
}

function changeOf(
  detail: JsonRecord | null,
  input: JsonValue,
  cwd: string | null,
): Pick<ResultData, 'files' | 'diff'> {
  const asked = asRecord(input)
  const path =
    textField(detail, 'filePath') ?? textField(asked, 'file_path') ?? textField(asked, 'notebook_path')
  if (path === null || path === '') return {}
  const name = insideOf(path, cwd)
  const created = textField(detail, 'type') === 'create' ? textField(detail, 'content') : null
  const hunks =
    created === null ? listField(detail, 'structuredPatch').map(hunk).join('') : addedHunk(created)
  return { files: [name], ...(hunks !== '' && { diff: `--- a/${name}\n+++ b/${name}\n${hunks}` }) }
}

function hunk(value: JsonValue): string {
  const part = asRecord(value)
  const [oldStart, oldLines] = [countField(part, 'oldStart'), countField(part, 'oldLines')]
  const [newStart, newLines] = [countField(part, 'newStart'), countField(part, 'newLines')]
  const lines = listField(part, 'lines').filter(line => typeof line === 'string')
  if (oldStart === null || oldLines === null || newStart === null || newLines === null) return ''
  return `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${lines.map(line => `${line}\n`).join('')}`
}

function addedHunk(text: string): string {
  if (text === '') return ''
  const lines = text.split('\n')
  const isEnded = lines.at(-1) === ''
  const shown = isEnded ? lines.slice(0, -1) : lines
  const end = isEnded ? '' : '\\ No newline at end of file\n'
  return `@@ -0,0 +1,${shown.length} @@\n${shown.map(line => `+${line}\n`).join('')}${end}`
}

/** Relative to `cwd` where it is inside; either may be a path of another system. */
function insideOf(path: string, cwd: string | null): string {
  if (cwd === null || cwd === '' || !path.startsWith(cwd)) return path
  const rest = path.slice(cwd.length)
  return /^[/\\]./.test(rest) ? rest.slice(1) : path
}

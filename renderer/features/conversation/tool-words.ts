import { formatDuration } from '../../ui/format.ts'
import type { IconName } from '../../ui/icon.tsx'
import type { MarkKind } from '../../ui/status-mark.tsx'
import type { ToolRow, ToolState } from './row.ts'

const ICONS: Readonly<Record<string, IconName>> = {
  Read: 'file',
  Write: 'pencil',
  Edit: 'pencil',
  Find: 'search',
  Search: 'grep',
  List: 'folder',
  Run: 'terminal',
  'Read output': 'terminal',
  Plan: 'checklist',
  Delegate: 'branch',
  Message: 'bubbles',
  'List agents': 'list',
  Interrupt: 'stop',
  Report: 'receipt',
  Fetch: 'globe',
  'Search the web': 'globe',
}

export function toolIcon(verb: string): IconName {
  return Object.hasOwn(ICONS, verb) ? (ICONS[verb] ?? 'wrench') : 'wrench'
}

const MARKS: Readonly<Record<ToolState, MarkKind>> = {
  asked: 'queued',
  running: 'running',
  ok: 'done',
  error: 'failed',
  denied: 'stopped',
  stopped: 'stopped',
  over: 'interrupted',
}

export function toolMark(state: ToolState): MarkKind {
  return MARKS[state]
}

export const STATE_WORDS: Readonly<Record<ToolState, string>> = {
  asked: 'not started',
  running: 'running',
  ok: 'done',
  error: 'failed',
  denied: 'denied',
  stopped: 'stopped',
  over: 'no result',
}

const CODES: Readonly<Record<string, string>> = {
  BAD_COMMAND: 'The command could not be understood.',
  BAD_PATTERN: 'The pattern could not be understood.',
  CANCELLED: 'Stopped before it was done.',
  CHILD_NOT_COMPLETED: 'The child ended before it was done.',
  DELEGATION_FAILED: 'The child could not be started.',
  DENIED: 'You did not allow it. Nothing was done.',
  EDIT_REFUSED: 'The edit did not fit the file. Nothing was changed.',
  EXIT_CODE: 'The command ended with an error.',
  FOLDER_MISSING: 'The folder of the session is not there.',
  NOT_A_FILE: 'There is no such file.',
  NOT_DELIVERED: 'Nothing was delivered.',
  NOT_STARTED: 'The command could not be started.',
  NOT_TEXT: 'The file is not text.',
  SIGNAL: 'The command was ended from outside.',
  TIMED_OUT: 'It took too long and was stopped.',
  TOO_LARGE: 'It was too large.',
  TOOL_NOT_STARTED: 'The workbench closed before it was started. It had no effect.',
  TOOL_OUTCOME_UNKNOWN: 'The workbench closed while it ran. It may have had effects.',
}

/** Why a call has no ordinary result, in a sentence with its code. */
export function codeWords(code: string): string {
  return Object.hasOwn(CODES, code) ? `${CODES[code]} (${code})` : `It failed. (${code})`
}

/** The few words at the end of a folded line. */
export function resultWords(row: ToolRow): string {
  const { result, state } = row
  if (state === 'denied') return 'Denied'
  if (result === null) return state === 'over' ? 'No result' : ''
  if (result.code === 'CANCELLED') return 'Stopped'
  if (result.code === 'TOOL_NOT_STARTED') return 'Not started'
  if (result.code === 'TOOL_OUTCOME_UNKNOWN') return 'Outcome unknown'
  if (result.summary !== undefined) return result.summary
  if (typeof result.exitCode === 'number' && result.exitCode !== 0) return `exit ${result.exitCode}`
  return state === 'error' ? 'Failed' : ''
}

/** "<0.1s", "0.1s", "96.4s", "2m 03s" */
export function formatToolTime(ms: number): string {
  const tenths = Math.round(Math.max(0, ms) / 100) / 10
  if (tenths === 0) return '<0.1s'
  return tenths < 100 ? `${tenths.toFixed(1)}s` : formatDuration(ms)
}

import { textField } from '../json-fields.ts'
import { isMessage, type Line } from './line.ts'
import type { Thread } from './thread.ts'
import { blocksOf, plainText, typedCommand, userKind, withoutEditorContext } from './user-line.ts'

const MAX_TITLE = 90

/**
 * The title of a main transcript: given by the person, else by the tool, else the summary whose leaf is a line of
 * this transcript (a summary inside a file usually describes another session), else the first prompt, else the
 * first command.
 */
export function titleOf(thread: Thread, summaries: ReadonlyMap<string, string>): string | null {
  const shown = thread.lines.filter(placed => placed.shown).map(({ line }) => line)
  const candidates = [
    lastText(shown, 'custom-title', 'customTitle'),
    lastText(shown, 'ai-title', 'aiTitle'),
    lastSummary(thread, summaries),
    firstOf(shown, 'prompt', withoutEditorContext),
    firstOf(shown, 'command', typedCommand),
  ]
  for (const candidate of candidates) {
    const title = oneLine(candidate ?? '', MAX_TITLE)
    if (title !== '') return title
  }
  return null
}

/** One line of at most `max` characters. */
export function oneLine(text: string, max: number): string {
  const line = text
    .slice(0, max * 10)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return (line.length > max ? `${line.slice(0, max - 1).trimEnd()}…` : line).toWellFormed()
}

function lastText(lines: readonly Line[], type: string, key: string): string | null {
  const line = lines.findLast(one => one.type === type && textField(one.value, key)?.trim())
  return line === undefined ? null : textField(line.value, key)
}

function lastSummary(thread: Thread, summaries: ReadonlyMap<string, string>): string | null {
  const leaf = thread.lines.findLast(({ line }) => line.uuid !== null && summaries.has(line.uuid))
  return leaf === undefined ? null : (summaries.get(leaf.line.uuid ?? '') ?? null)
}

function firstOf(
  lines: readonly Line[],
  kind: 'prompt' | 'command',
  read: (text: string) => string,
): string | null {
  for (const line of lines) {
    if (line.type !== 'user' || !isMessage(line) || userKind(line) !== kind) continue
    const text = read(plainText(blocksOf(line)))
    if (text.trim() !== '') return text
  }
  return null
}

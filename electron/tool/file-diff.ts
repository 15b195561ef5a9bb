import { formatPatch, structuredPatch } from 'diff'
import { cutText } from './amount-text.ts'

const MAX_LINE = 1000
const MAX_DIFF = 60_000
const MAX_INPUT = 4_000_000

export interface FileDiff {
  /** A unified diff of whole hunks; empty when there is nothing to show. */
  readonly text: string
  readonly added: number
  readonly removed: number
  /** Hunks or long lines were left out of `text`. */
  readonly cut: boolean
}

/** `null`: too large or too different to compare in reasonable time. */
export function diffOf(path: string, before: string, after: string): FileDiff | null {
  if (before.length + after.length > MAX_INPUT) return null
  const options = { context: 3, timeout: 500 }
  const patch = structuredPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, options)
  if (patch === undefined) return null
  let added = 0
  let removed = 0
  let size = 0
  let cut = false
  const hunks = []
  for (const hunk of patch.hunks) {
    added += hunk.lines.filter(line => line.startsWith('+')).length
    removed += hunk.lines.filter(line => line.startsWith('-')).length
    const lines = hunk.lines.map(line => cutText(line, MAX_LINE))
    size += lines.reduce((sum, line) => sum + line.length + 1, 0)
    cut ||= lines.some((line, index) => line !== hunk.lines[index]) || size > MAX_DIFF
    if (size <= MAX_DIFF) hunks.push({ ...hunk, lines })
  }
  const headers = { includeIndex: false, includeUnderline: false, includeFileHeaders: true }
  return { text: hunks.length === 0 ? '' : formatPatch({ ...patch, hunks }, headers), added, removed, cut }
}

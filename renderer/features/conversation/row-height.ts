const CHARS_PER_LINE = 88
const PROSE_LINE = 22
const CODE_LINE = 19

/** Px that prose may take in the column; only ever a first guess, the list measures what it mounts. */
export function proseHeight(text: string): number {
  return linesOf(text, CHARS_PER_LINE) * PROSE_LINE + 4
}

export function bubbleHeight(text: string, named: boolean): number {
  return linesOf(text, CHARS_PER_LINE - 4) * PROSE_LINE + 19 + (named ? 18 : 0)
}

export const TOOL_HEIGHT = 26
export const FOLD_HEIGHT = 22
export const DIVIDER_HEIGHT = 20
export const DELEGATE_HEIGHT = 54

export function approvalHeight(lines: number): number {
  return 108 + Math.min(lines, 12) * CODE_LINE
}

/** Counts at most the first 20,000 characters: longer text is extrapolated, not scanned. */
function linesOf(text: string, perLine: number): number {
  const sample = text.length > 20_000 ? text.slice(0, 20_000) : text
  let lines = 0
  let start = 0
  for (;;) {
    const end = sample.indexOf('\n', start)
    const length = (end === -1 ? sample.length : end) - start
    lines += Math.max(1, Math.ceil(length / perLine))
    if (end === -1) break
    start = end + 1
  }
  return Math.round(lines * (text.length / Math.max(1, sample.length)))
}

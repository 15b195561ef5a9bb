import type { CodeClass } from './code-theme.ts'
import type { DiffPart } from './diff-lines.ts'
import type { CodePiece } from './highlight-protocol.ts'

export interface StyledPiece {
  readonly text: string
  readonly className: CodeClass
  readonly marked: boolean
}

/** Word marks and colours of one line, cut at every edge of either. Without colours the marks alone. */
export function stylePieces(
  parts: readonly DiffPart[],
  colours: readonly CodePiece[] | undefined,
): StyledPiece[] {
  if (colours === undefined) return parts.map(({ text, marked }) => ({ text, marked, className: '' }))
  const out: StyledPiece[] = []
  let part = 0
  let used = 0
  for (const [text, className] of colours) {
    let at = 0
    while (at < text.length) {
      const current = parts[part]
      if (current === undefined) return out
      const take = Math.min(text.length - at, current.text.length - used)
      if (take > 0) out.push({ text: text.slice(at, at + take), className, marked: current.marked })
      at += take
      used += take
      if (used >= current.text.length) {
        part++
        used = 0
      }
    }
  }
  return out
}

/** Neighbours that are marked alike, so that one change is one mark whatever its colours. */
export function markedRuns(pieces: readonly StyledPiece[]): readonly (readonly StyledPiece[])[] {
  const runs: StyledPiece[][] = []
  for (const piece of pieces) {
    const last = runs.at(-1)
    if (last?.[0]?.marked === piece.marked) last.push(piece)
    else runs.push([piece])
  }
  return runs
}

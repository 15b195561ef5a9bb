/**
 * Cuts markdown into pieces that render alone: at blank lines outside fences, never inside a list, a quote or an
 * indented block. Text with reference definitions or footnotes stays whole, since its pieces need each other.
 */
export function splitBlocks(text: string): readonly string[] {
  if (/^ {0,3}\[[^\]\n]+\]:/m.test(text)) return [text]
  return cut(text).map(([start, end]) => text.slice(start, end))
}

/**
 * The same for a text that grows: a settled block is the string it was, and only what follows the last cut is
 * looked at again.
 */
export function createBlockSplitter(): (text: string) => readonly string[] {
  let seen = ''
  let blocks: readonly string[] = []
  return text => {
    if (text === seen && blocks.length > 0) return blocks
    const last = blocks.at(-1) ?? ''
    const kept = seen.length - last.length
    const grows = blocks.length > 1 && text.length > seen.length && text.startsWith(seen)
    const tail = grows ? text.slice(kept) : text
    const whole = /^ {0,3}\[[^\]\n]+\]:/m.test(tail)
    const next = grows && !whole ? [...blocks.slice(0, -1), ...splitBlocks(tail)] : splitBlocks(text)
    seen = text
    blocks = next
    return next
  }
}

function cut(text: string): [start: number, end: number][] {
  const pieces: [number, number][] = []
  let start = 0
  let fence: string | null = null
  let blank = false
  let nested = false
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at)
    const end = newline === -1 ? text.length : newline + 1
    const line = text.slice(at, end)
    if (fence !== null) {
      if (closes(line, fence)) fence = null
    } else if (line.trim() === '') {
      blank = true
    } else {
      // The last line may still become a list item: a cut made too early could not be taken back.
      const undecided = newline === -1 && /^\d{1,9}[.)]?$/.test(line)
      const continues = /^(\s|[-*+]|\d{1,9}[.)]\s)/.test(line)
      if (blank && !(nested && (continues || undecided)) && !/^\s/.test(line)) {
        pieces.push([start, at])
        start = at
        nested = false
      }
      nested = nested || /^ {0,3}([-*+]\s|\d{1,9}[.)]\s)/.test(line)
      fence = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? null
      blank = false
    }
    at = end
  }
  pieces.push([start, text.length])
  return pieces
}

function closes(line: string, fence: string): boolean {
  const found = /^\s*(`{3,}|~{3,})\s*$/.exec(line)?.[1]
  return found !== undefined && found[0] === fence[0] && found.length >= fence.length
}

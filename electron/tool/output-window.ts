import { count } from './amount-text.ts'

/** Keeps the head and the tail of a text that may be endless, in memory bounded by both sizes. */
export function createOutputWindow(headSize: number, tailSize: number) {
  let head = ''
  let tail = ''
  let total = 0

  return {
    add(text: string): void {
      total += text.length
      const room = headSize - head.length
      if (room > 0) head += text.slice(0, room)
      tail += text.slice(Math.max(0, room))
      if (tail.length > tailSize * 2) tail = tail.slice(-tailSize)
    },
    /** The whole text, or both ends with a line between them that says what is missing. */
    text(): string {
      if (total <= headSize + tailSize) return head + tail
      const cut = count(total - headSize - tailSize, 'character')
      // Neither end may begin or end inside a character.
      const before = head.replace(/[\uD800-\uDBFF]$/, '')
      const after = tail.slice(-tailSize).replace(/^[\uDC00-\uDFFF]/, '')
      return `${before}\n[… ${cut} cut …]\n${after}`
    },
    isCut: () => total > headSize + tailSize,
  }
}

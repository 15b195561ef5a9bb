import { type RefObject, useEffect } from 'react'

const NAME = 'found-text'
const MAX_MARKS = 2000

/** Paints every occurrence of `text` in what is mounted, without touching the elements. */
export function useFoundMarks(box: RefObject<HTMLElement | null>, text: string | null): void {
  useEffect(() => {
    const element = box.current
    if (element === null || text === null || text.trim() === '' || !('highlights' in CSS)) return
    let frame = 0
    const paint = () => {
      frame = 0
      CSS.highlights.set(NAME, new Highlight(...rangesOf(element, text.toLowerCase())))
    }
    const soon = () => {
      if (frame === 0) frame = requestAnimationFrame(paint)
    }
    const observer = new MutationObserver(soon)
    observer.observe(element, { childList: true, subtree: true, characterData: true })
    soon()
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      CSS.highlights.delete(NAME)
    }
  }, [box, text])
}

function rangesOf(element: HTMLElement, needle: string): Range[] {
  const ranges: Range[] = []
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null && ranges.length < MAX_MARKS; node = walker.nextNode()) {
    const words = node.nodeValue?.toLowerCase() ?? ''
    for (let at = words.indexOf(needle); at !== -1; at = words.indexOf(needle, at + needle.length)) {
      const range = new Range()
      range.setStart(node, at)
      range.setEnd(node, at + needle.length)
      ranges.push(range)
    }
  }
  return ranges
}

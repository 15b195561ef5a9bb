import { useEffect, useState } from 'react'
import type { CodeLines } from './highlight-protocol.ts'
import { highlight, highlighted } from './highlighter.ts'

/** Colours of `code` once they are there; `null` until then and for text that stays plain. */
export function useHighlighted(code: string, language: string, enabled = true): CodeLines | null {
  const [arrived, setArrived] = useState<{ readonly code: string; readonly lines: CodeLines | null }>()
  const known = enabled ? highlighted(code, language) : null
  useEffect(() => {
    if (!enabled || known !== undefined) return
    let current = true
    void highlight(code, language).then(lines => {
      if (current) setArrived({ code, lines })
    })
    return () => {
      current = false
    }
  }, [code, language, enabled, known])
  return known ?? (enabled && arrived?.code === code ? arrived.lines : null)
}

import { useEffect, useEffectEvent } from 'react'

interface Answers {
  readonly allow: () => void
  readonly deny: () => void
}

/**
 * Alt+A and Alt+D for the oldest open question, from wherever the focus is. By the key's place, since Alt types
 * another letter on some systems. When several copies are on screen, only one takes the key.
 */
export function useApprovalKeys(active: boolean, answers: Answers): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.repeat) return
    if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    if (event.code !== 'KeyA' && event.code !== 'KeyD') return
    event.preventDefault()
    if (event.code === 'KeyA') answers.allow()
    else answers.deny()
  })
  useEffect(() => {
    if (!active) return
    const listener = (event: KeyboardEvent) => onKey(event)
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [active])
}

import { useEffect } from 'react'

/** Where F6 lands in each pane, left to right: the row, the message, the tab that is current. */
const STOPS = [
  '[role="tree"][aria-label="Sessions"] [role="treeitem"][tabindex="0"], aside[aria-label="Sidebar"] button',
  'main textarea, main [role="log"], main button',
  'aside[aria-label="Inspector"] [role="tab"][aria-selected="true"]',
]
const PANES = ['aside[aria-label="Sidebar"]', 'main', 'aside[aria-label="Inspector"]']

/** F6 goes from pane to pane, Shift+F6 back. What lies over the panes keeps the focus. */
export function usePaneFocus(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'F6' || event.ctrlKey || event.metaKey || event.altKey) return
      if (document.activeElement?.closest('[role="dialog"]') != null) return
      event.preventDefault()
      nextStop(event.shiftKey ? -1 : 1)?.focus()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

function nextStop(step: 1 | -1): HTMLElement | null {
  const at = PANES.findIndex(pane => document.activeElement?.closest(pane) != null)
  const from = at === -1 && step === -1 ? 0 : at
  for (let count = 1; count <= STOPS.length; count += 1) {
    const index = (from + step * count + STOPS.length * 2) % STOPS.length
    const found = first(STOPS[index] ?? '')
    if (found !== null) return found
  }
  return null
}

/** The first of the alternatives that is there, in the order in which they are named. */
function first(selectors: string): HTMLElement | null {
  for (const selector of selectors.split(', ')) {
    const found = document.querySelector<HTMLElement>(selector)
    if (found !== null && found.closest('[inert]') === null) return found
  }
  return null
}

/** What a key in the message box does; `null`: what it does in any text. */
export type KeyAction = 'send' | 'steer'

export interface KeyFacts {
  readonly key: string
  readonly keyCode: number
  readonly isComposing: boolean
  readonly shiftKey: boolean
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  /** Milliseconds, on the clock of `composedAt`. */
  readonly timeStamp: number
}

/** The Enter that confirms a candidate may come after the composition it ends, as its own key press. */
const AFTER_COMPOSITION_MS = 80
const KEY_OF_AN_INPUT_METHOD = 229

/**
 * Enter sends, with Ctrl or Cmd it steers, with Shift it is a line break. An Enter that belongs to an input method
 * is never ours. `composedAt`: when the last composition ended.
 */
export function keyAction(event: KeyFacts, composedAt: number | null): KeyAction | null {
  if (event.key !== 'Enter' || event.shiftKey || event.altKey) return null
  if (event.isComposing || event.keyCode === KEY_OF_AN_INPUT_METHOD) return null
  if (composedAt !== null && event.timeStamp - composedAt < AFTER_COMPOSITION_MS) return null
  return event.ctrlKey || event.metaKey ? 'steer' : 'send'
}

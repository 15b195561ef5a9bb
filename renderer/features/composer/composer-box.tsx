import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import type { Problem } from './composer-actions.ts'
import styles from './composer-box.module.css'
import { keyAction } from './submit-key.ts'

interface ComposerBoxProps {
  readonly draft: string
  readonly placeholder: string
  /** Takes the focus whenever it rises. */
  readonly focus: number
  readonly onChange: (text: string) => void
  readonly onSend: () => void
  readonly onSteer: () => void
  readonly strip: ReactNode
  readonly problem: Problem | null
  readonly foot: ReactNode
}

/** The last request for the focus that was answered: one may come before its box is there. */
let taken = 0

/** The message box: a text that grows, what sending brings back above it, the controls below. */
export function ComposerBox(props: ComposerBoxProps) {
  const { draft, placeholder, focus, onChange, onSend, onSteer, strip, problem, foot } = props
  const box = useRef<HTMLTextAreaElement>(null)
  const composedAt = useRef<number | null>(null)
  useEffect(() => {
    // One that is about to go leaves the wish to the one that comes.
    if (focus === taken || box.current?.closest('[inert]') != null) return
    taken = focus
    box.current?.focus()
  }, [focus])

  return (
    <div className={styles.composer}>
      {strip}
      <textarea
        ref={box}
        className={styles.draft}
        aria-label="Message"
        rows={1}
        dir="auto"
        value={draft}
        placeholder={placeholder}
        onChange={event => onChange(event.target.value)}
        onCompositionEnd={event => {
          composedAt.current = event.timeStamp
        }}
        onKeyDown={event => {
          const action = keyAction({ ...factsOf(event), timeStamp: event.timeStamp }, composedAt.current)
          if (action === null) return
          event.preventDefault()
          if (action === 'steer') onSteer()
          else onSend()
        }}
      />
      {problem !== null && (
        <p className={styles.problem} role="alert">
          <b>{problem.title}</b> {problem.text}
        </p>
      )}
      {foot}
    </div>
  )
}

function factsOf(event: KeyboardEvent) {
  const { key, keyCode, shiftKey, ctrlKey, metaKey, altKey, nativeEvent } = event
  return { key, keyCode, shiftKey, ctrlKey, metaKey, altKey, isComposing: nativeEvent.isComposing }
}

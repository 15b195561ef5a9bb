import { type KeyboardEvent, useRef } from 'react'
import { useApp } from '../../store/app-context.tsx'
import { labelOf } from '../../store/row-words.ts'
import { viewOf } from '../../store/session-view.ts'
import type { State } from '../../store/state.ts'
import type { Row } from './row.ts'
import { commandOf, type TreeCommand, typeAhead } from './tree-keys.ts'

interface TreeKeys {
  readonly rows: readonly Row[]
  /** The row that has the focus. */
  readonly index: number
  /** Rows that fit into the view. */
  readonly page: () => number
  readonly run: (command: TreeCommand) => void
  readonly onEscape: () => void
}

/** Letters that follow each other faster than this are one word. */
const TYPE_AHEAD_MS = 600
const NOTHING_TYPED = { text: '', at: 0 }

/** What the keys do while a row has the focus; those inside its buttons and menus stay theirs. */
export function useTreeKeys({ rows, index, page, run, onEscape }: TreeKeys): (event: KeyboardEvent) => void {
  const app = useApp()
  const typed = useRef(NOTHING_TYPED)

  /** A space inside a label that is being typed is not a wish to peek, a star is not one to open. */
  function isTyping({ key, timeStamp }: KeyboardEvent): boolean {
    const { text, at } = typed.current
    return (key === ' ' || key === '*') && text !== '' && timeStamp - at < TYPE_AHEAD_MS
  }

  function ahead(event: KeyboardEvent): TreeCommand | null {
    if (event.key.length !== 1) return null
    const { text, at } = typed.current
    const isOneWord = event.timeStamp - at < TYPE_AHEAD_MS
    typed.current = { text: isOneWord ? text + event.key : event.key, at: event.timeStamp }
    const state = app.store.getState()
    return typeAhead(rows, index, typed.current.text, row => textOf(state, row))
  }

  return event => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset['row'] === undefined) return
    if (event.key === 'Escape') onEscape()
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const pressed = { key: event.key, withShift: event.shiftKey, page: page() }
    const direct = isTyping(event) ? null : commandOf(rows, index, pressed)
    // Whoever moves by another key begins a new word.
    if (direct !== null) typed.current = NOTHING_TYPED
    const command = direct ?? ahead(event)
    if (command === null) return
    event.preventDefault()
    run(command)
  }
}

function textOf(state: State, row: Row): string {
  if (row.kind !== 'session' && row.kind !== 'diagnostic') return ''
  const view = viewOf(state, row.id)
  return view === null ? '' : labelOf(view)
}

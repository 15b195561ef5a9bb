import { clsx } from 'clsx'
import { type KeyboardEvent, useRef } from 'react'
import type { InspectorTab } from '../../store/state.ts'
import styles from './inspector.module.css'

const TABS: readonly { readonly key: InspectorTab; readonly label: string }[] = [
  { key: 'overview', label: 'Overview' },
  { key: 'timeline', label: 'Timeline' },
  { key: 'changes', label: 'Changes' },
  { key: 'tasks', label: 'Tasks' },
  { key: 'log', label: 'Log' },
  { key: 'diagnostics', label: 'Diagnostics' },
]

interface InspectorTabsProps {
  readonly tab: InspectorTab
  readonly changed: number
  readonly onSelect: (tab: InspectorTab) => void
}

/** One stop for Tab; the arrows go from one to the next and show it at once. */
export function InspectorTabs({ tab, changed, onSelect }: InspectorTabsProps) {
  const list = useRef<HTMLDivElement>(null)

  function onKeyDown(event: KeyboardEvent): void {
    const at = TABS.findIndex(({ key }) => key === tab)
    const to = nextIndex(event.key, at)
    const next = to === null ? undefined : TABS[to]
    if (next === undefined) return
    event.preventDefault()
    onSelect(next.key)
    list.current?.querySelector<HTMLElement>(`#inspector-${next.key}`)?.focus()
  }

  return (
    <div ref={list} role="tablist" aria-label="Inspector" className={styles.tabs} onKeyDown={onKeyDown}>
      {TABS.map(({ key, label }) => (
        <button
          key={key}
          type="button"
          role="tab"
          id={`inspector-${key}`}
          aria-selected={key === tab}
          aria-controls="inspector-panel"
          tabIndex={key === tab ? 0 : -1}
          className={clsx(styles.tab, key === tab && styles.current)}
          onClick={() => onSelect(key)}
        >
          {label}
          {key === 'changes' && changed > 0 && <span className={styles.tabCount}>{changed}</span>}
        </button>
      ))}
    </div>
  )
}

function nextIndex(key: string, at: number): number | null {
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % TABS.length
    case 'ArrowLeft':
      return (at - 1 + TABS.length) % TABS.length
    case 'Home':
      return 0
    case 'End':
      return TABS.length - 1
    default:
      return null
  }
}

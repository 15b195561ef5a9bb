import { useEffect, useRef } from 'react'
import { formatCount } from '../../../ui/format.ts'
import { Icon } from '../../../ui/icon.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import styles from './find-bar.module.css'
import type { Find } from './use-find.ts'

/** Enter goes to an older match, Shift+Enter to a newer one, Escape closes. */
export function FindBar({ find }: { readonly find: Find }) {
  const box = useRef<HTMLInputElement>(null)
  const { request } = find
  // biome-ignore lint/correctness/useExhaustiveDependencies: each request takes the focus again
  useEffect(() => {
    box.current?.focus()
    box.current?.select()
  }, [request])
  return (
    <search className={styles.bar}>
      <Icon name="search" size={14} className={styles.icon} />
      <input
        ref={box}
        type="search"
        className={styles.input}
        aria-label="Find in conversation"
        placeholder="Find in conversation"
        value={find.text}
        onChange={event => find.write(event.target.value)}
        onKeyDown={event => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Escape') find.close()
          if (event.key === 'Enter') find.step(event.shiftKey ? -1 : 1)
        }}
      />
      <span className={styles.count} role="status">
        {countWords(find)}
      </span>
      <IconButton size="small" icon="chevronUp" label="Older match" onClick={() => find.step(1)} />
      <IconButton size="small" icon="chevronDown" label="Newer match" onClick={() => find.step(-1)} />
      <IconButton size="small" icon="x" label="Close find" onClick={find.close} />
    </search>
  )
}

function countWords({ text, progress, at, problem }: Find): string {
  if (problem !== null) return problem
  if (text.trim() === '') return ''
  const { seqs, done } = progress
  if (seqs.length === 0) return done ? 'No match' : 'Looking'
  return `${formatCount(at + 1)} of ${formatCount(seqs.length)}${done ? '' : '+'}`
}

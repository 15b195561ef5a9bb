import { useEffect, useState } from 'react'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { TextField } from '../../ui/text-field.tsx'
import styles from './sidebar.module.css'

/** To look through all of 55,000 sessions takes longer than a letter may: it is done when a word stands still. */
const PAUSE_MS = 80

/** Searches as the person writes. Emptied from elsewhere it is empty; Escape closes it. */
export function SearchBox({ onClose }: { readonly onClose: () => void }) {
  const app = useApp()
  const query = useWorkbench(state => state.query)
  const [text, setText] = useState(query)
  const [searched, setSearched] = useState(query)
  if (searched !== query) {
    setSearched(query)
    setText(query)
  }

  useEffect(() => {
    const timer = setTimeout(() => {
      setSearched(text)
      app.store.setState({ query: text })
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [app, text])

  return (
    <div className={styles.search}>
      <TextField
        type="search"
        icon="search"
        aria-label="Search sessions by title"
        placeholder="Search by title or id"
        autoFocus
        value={text}
        onChange={event => setText(event.target.value)}
        onKeyDown={event => event.key === 'Escape' && onClose()}
      />
    </div>
  )
}

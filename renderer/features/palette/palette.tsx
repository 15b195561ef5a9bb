import { Command } from 'cmdk'
import { useMemo, useState } from 'react'
import { useApp } from '../../store/app-context.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Keys } from '../../ui/kbd.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import styles from './palette.module.css'
import { itemsOf, type PaletteItem, search } from './palette-items.ts'

interface PaletteProps {
  readonly open: boolean
  readonly onClose: () => void
}

/** Sessions, children and actions in one list. */
export function Palette({ open, onClose }: PaletteProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Command palette" hideTitle className={styles.dialog}>
      {open && <PaletteBody onClose={onClose} />}
    </Dialog>
  )
}

function PaletteBody({ onClose }: { readonly onClose: () => void }) {
  const app = useApp()
  const [query, setQuery] = useState('')
  // As of the moment it was opened: a list that is being read must not move.
  const items = useMemo(() => itemsOf(app), [app])
  const found = useMemo(() => search(items, query), [items, query])
  const sessions = found.filter(item => item.mark !== null)
  const actions = found.filter(item => item.mark === null)

  function choose(item: PaletteItem): void {
    onClose()
    item.run()
  }

  return (
    <Command shouldFilter={false} loop label="Command palette" className={styles.palette}>
      <div className={styles.input}>
        <Icon name="search" />
        <Command.Input
          autoFocus
          aria-label="Command palette"
          placeholder="Go to a session, or do something"
          value={query}
          onValueChange={setQuery}
        />
      </div>
      <Command.List className={styles.list} aria-label="Results">
        {found.length === 0 && <div className={styles.none}>No match for “{query}”</div>}
        {sessions.length > 0 && (
          <Command.Group heading="Sessions and children" className={styles.group}>
            {sessions.map(item => (
              <Item key={item.key} item={item} query={query} onChoose={choose} />
            ))}
          </Command.Group>
        )}
        {actions.length > 0 && (
          <Command.Group heading="Actions" className={styles.group}>
            {actions.map(item => (
              <Item key={item.key} item={item} query={query} onChoose={choose} />
            ))}
          </Command.Group>
        )}
      </Command.List>
    </Command>
  )
}

interface ItemProps {
  readonly item: PaletteItem
  readonly query: string
  readonly onChoose: (item: PaletteItem) => void
}

function Item({ item, query, onChoose }: ItemProps) {
  const { mark, icon, label, detail, aside, keys } = item
  return (
    <Command.Item value={item.key} className={styles.item} onSelect={() => onChoose(item)}>
      {mark !== null ? <StatusMark kind={mark} /> : <Icon name={icon} />}
      <span className={styles.label}>
        <Highlighted text={label} query={query} />
      </span>
      <span className={styles.detail}>{detail}</span>
      {aside !== '' && <span className={styles.aside}>{aside}</span>}
      {keys !== null && <Keys keys={keys} />}
    </Command.Item>
  )
}

function Highlighted({ text, query }: { readonly text: string; readonly query: string }) {
  const at = query.trim() === '' ? -1 : text.toLowerCase().indexOf(query.trim().toLowerCase())
  if (at < 0) return text
  const end = at + query.trim().length
  return (
    <>
      {text.slice(0, at)}
      <b>{text.slice(at, end)}</b>
      {text.slice(end)}
    </>
  )
}

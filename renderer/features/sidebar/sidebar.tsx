import { useState } from 'react'
import { goBack, goForward, newSession, showOverlay } from '../../store/actions.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Logo } from '../../ui/logo.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { SearchBox } from './search-box.tsx'
import { SessionTree } from './session-tree.tsx'
import styles from './sidebar.module.css'
import { SidebarFoot } from './sidebar-foot.tsx'
import { TreeNotice } from './tree-notice.tsx'

export function Sidebar({ modKey }: { readonly modKey: string }) {
  const app = useApp()
  const past = useWorkbench(state => state.past.length)
  const future = useWorkbench(state => state.future.length)
  const [searching, setSearching] = useState(() => app.store.getState().query !== '')

  function toggleSearch(): void {
    if (searching) app.store.setState({ query: '' })
    setSearching(!searching)
  }

  return (
    <aside className={styles.sidebar} aria-label="Sidebar">
      <div className={styles.bar}>
        <Logo />
        <span className={styles.appName}>Espalier</span>
        <span className={styles.spacer} />
        <IconButton
          icon="arrowLeft"
          label="Back"
          keys={['Alt', '←']}
          disabledReason={past === 0 ? 'nothing was open before' : null}
          onClick={() => goBack(app)}
        />
        <IconButton
          icon="arrowRight"
          label="Forward"
          keys={['Alt', '→']}
          disabledReason={future === 0 ? 'this is the latest' : null}
          onClick={() => goForward(app)}
        />
        <IconButton
          icon="panelLeft"
          label="Hide sidebar"
          keys={[modKey, 'B']}
          onClick={() => app.store.setState({ sidebarShown: false })}
        />
      </div>
      <div className={styles.tools}>
        <Button
          icon="plus"
          keys={[modKey, 'N']}
          aria-keyshortcuts="Control+N"
          className={styles.newSession}
          onClick={() => void newSession(app)}
        >
          New session
        </Button>
        <IconButton
          icon="search"
          label="Search sessions"
          on={searching}
          onClick={toggleSearch}
          aria-expanded={searching}
        />
        <FilterMenu />
        <SortMenu />
      </div>
      {searching && <SearchBox onClose={toggleSearch} />}
      <div className={styles.area}>
        <SessionTree />
        <TreeNotice onClearSearch={() => app.store.setState({ query: '', filter: 'all' })} />
      </div>
      <SidebarFoot onShortcuts={() => showOverlay(app, { kind: 'shortcuts' })} />
    </aside>
  )
}

const FILTERS = {
  all: 'All sessions',
  active: 'Running and waiting',
  failed: 'Failed and interrupted',
} as const
const SORTS = { recent: 'Last used first', title: 'By title' } as const

function FilterMenu() {
  const app = useApp()
  const filter = useWorkbench(state => state.filter)
  return (
    <Menu align="end" trigger={<IconButton icon="filter" label="Filter" on={filter !== 'all'} />}>
      {keysOf(FILTERS).map(key => (
        <MenuItem key={key} current={key === filter} onSelect={() => app.store.setState({ filter: key })}>
          {FILTERS[key]}
        </MenuItem>
      ))}
    </Menu>
  )
}

function SortMenu() {
  const app = useApp()
  const sort = useWorkbench(state => state.sort)
  return (
    <Menu align="end" trigger={<IconButton icon="sort" label="Sort" />}>
      {keysOf(SORTS).map(key => (
        <MenuItem key={key} current={key === sort} onSelect={() => app.store.setState({ sort: key })}>
          {SORTS[key]}
        </MenuItem>
      ))}
    </Menu>
  )
}

function keysOf<T extends object>(object: T): (keyof T & string)[] {
  return Object.keys(object) as (keyof T & string)[]
}

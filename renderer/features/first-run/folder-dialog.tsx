import { useState } from 'react'
import { errorText } from '../../app/error-text.ts'
import { closeOverlay, openWorkspace } from '../../store/actions.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { useCall } from '../../store/use-call.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { folderName, shortPath } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import styles from './folder-dialog.module.css'

/** A folder picker for windows that have no system dialog. The workbench lists, the page only shows. */
export function FolderDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Open a folder"
      description="Agents work inside it."
      className={styles.dialog}
    >
      {open && <Picker onClose={onClose} />}
    </Dialog>
  )
}

function Picker({ onClose }: { readonly onClose: () => void }) {
  const app = useApp()
  const home = useWorkbench(state => state.host?.homeFolder ?? null)
  const recent = useWorkbench(state => state.settings?.workspaces ?? NONE)
  const [path, setPath] = useState<string | null>(null)
  const [typed, setTyped] = useState<string | null>(null)
  const listing = useCall(`browse\n${path ?? ''}`, signal =>
    app.client.workspaces.browse(path === null ? {} : { path }, { signal }),
  )
  const here = listing.status === 'ready' ? listing.value.path : (path ?? '')

  function go(next: string): void {
    setPath(next)
    setTyped(null)
  }
  function choose(folder: string): void {
    closeOverlay(app)
    void openWorkspace(app, folder)
  }

  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (typed !== null && typed !== here) go(typed)
        else choose(here)
      }}
    >
      <div className={styles.path}>
        <IconButton
          icon="arrowUp"
          label="Folder above"
          disabledReason={
            listing.status === 'ready' && listing.value.parent === null ? 'this is the topmost' : null
          }
          onClick={() =>
            listing.status === 'ready' && listing.value.parent !== null && go(listing.value.parent)
          }
        />
        <TextField
          aria-label="Folder"
          boxClassName={styles.field}
          value={typed ?? here}
          onChange={event => setTyped(event.target.value)}
          error={
            listing.status === 'failed'
              ? `${errorText(listing.failure.code).what} ${listing.failure.detail}`
              : null
          }
          spellCheck={false}
        />
      </div>
      <ul
        className={styles.list}
        aria-label={`Folders in ${folderName(here)}`}
        aria-busy={listing.status === 'loading'}
      >
        {listing.status === 'ready' &&
          listing.value.folders.map(name => (
            <li key={name}>
              <button type="button" className={styles.folder} onClick={() => go(joined(here, name))}>
                <Icon name="folder" size={14} />
                {name}
              </button>
            </li>
          ))}
        {listing.status === 'ready' && listing.value.folders.length === 0 && (
          <li className={styles.none}>No folders in here. It can be opened all the same.</li>
        )}
      </ul>
      {recent.length > 0 && path === null && (
        <ul className={styles.recent} aria-label="Opened before">
          {recent.slice(0, 4).map(folder => (
            <li key={folder}>
              <button type="button" className={styles.folder} onClick={() => choose(folder)}>
                <Icon name="clock" size={14} />
                {shortPath(folder, home)}
              </button>
            </li>
          ))}
        </ul>
      )}
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button
          type="submit"
          variant="primary"
          disabledReason={listing.status === 'loading' ? 'the folder is being read' : null}
        >
          Open {typed === null || typed === here ? folderName(here) : 'this path'}
        </Button>
      </DialogActions>
    </form>
  )
}

const NONE: readonly string[] = []

function joined(path: string, name: string): string {
  const slash = path.includes('\\') && !path.includes('/') ? '\\' : '/'
  return path.endsWith(slash) ? `${path}${name}` : `${path}${slash}${name}`
}

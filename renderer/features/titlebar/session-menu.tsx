import type { SessionId } from '#shared/session/ids.ts'
import { forkSession, showOverlay, stopTree } from '../../store/actions.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { archiveSession, trashSession, unarchiveSession } from '../../store/put-away.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'

export function SessionMenu({ sessionId }: { readonly sessionId: SessionId }) {
  const app = useApp()
  const isRoot = useWorkbench(state => state.summaries.has(sessionId))
  const isArchived = useWorkbench(state => state.summaries.get(sessionId)?.archived === true)
  return (
    <Menu align="end" trigger={<IconButton icon="more" label="Session actions" />}>
      <MenuItem icon="branch" onSelect={() => void forkSession(app, sessionId)}>
        Continue in a new session
      </MenuItem>
      <MenuItem icon="stop" onSelect={() => void stopTree(app, sessionId)}>
        Stop with all children
      </MenuItem>
      <MenuItem icon="down" onSelect={() => showOverlay(app, { kind: 'export', sessionId })}>
        Export…
      </MenuItem>
      <MenuItem icon="copy" onSelect={() => void navigator.clipboard.writeText(sessionId)}>
        Copy id
      </MenuItem>
      {isRoot && (
        <>
          <MenuSeparator />
          <MenuItem
            icon="pencil"
            keys={['F2']}
            onSelect={() => showOverlay(app, { kind: 'rename', sessionId })}
          >
            Rename
          </MenuItem>
          <MenuItem
            icon="archive"
            onSelect={() => void (isArchived ? unarchiveSession : archiveSession)(app, sessionId)}
          >
            {isArchived ? 'Bring back' : 'Archive'}
          </MenuItem>
          <MenuItem icon="trash" onSelect={() => void trashSession(app, sessionId)}>
            Move to trash
          </MenuItem>
        </>
      )}
    </Menu>
  )
}

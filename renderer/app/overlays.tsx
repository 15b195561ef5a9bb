import { ExportDialog } from '../features/export/export-dialog.tsx'
import { FolderDialog } from '../features/first-run/folder-dialog.tsx'
import { Palette } from '../features/palette/palette.tsx'
import { RenameDialog } from '../features/palette/rename-dialog.tsx'
import { ShortcutSheet } from '../features/palette/shortcut-sheet.tsx'
import { TrashQuestion } from '../features/put-away/trash-question.tsx'
import { SettingsDialog } from '../features/settings/settings-dialog.tsx'
import { closeOverlay } from '../store/actions.ts'
import { useApp, useWorkbench } from '../store/app-context.tsx'
import { SHORTCUTS } from './shortcuts.ts'

/** What lies over the workbench, at most one at a time. */
export function Overlays() {
  const app = useApp()
  const overlay = useWorkbench(state => state.overlay)
  const onClose = () => closeOverlay(app)
  return (
    <>
      <Palette open={overlay.kind === 'palette'} onClose={onClose} />
      <ShortcutSheet open={overlay.kind === 'shortcuts'} onClose={onClose} places={SHORTCUTS} />
      <FolderDialog open={overlay.kind === 'folder'} onClose={onClose} />
      <SettingsDialog
        page={overlay.kind === 'settings' ? overlay.page : null}
        restore={overlay.kind === 'settings' ? (overlay.restore ?? null) : null}
        onClose={onClose}
        places={SHORTCUTS}
      />
      <TrashQuestion asked={overlay.kind === 'trash-running' ? overlay : null} onClose={onClose} />
      <ExportDialog sessionId={overlay.kind === 'export' ? overlay.sessionId : null} onClose={onClose} />
      <RenameDialog sessionId={overlay.kind === 'rename' ? overlay.sessionId : null} onClose={onClose} />
    </>
  )
}

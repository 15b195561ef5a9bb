import { CSPProvider } from '@base-ui/react/csp-provider'
import { Banners } from '../features/banners/banners.tsx'
import { UndoToast } from '../features/banners/undo-toast.tsx'
import type { App } from '../store/app.ts'
import { AppProvider } from '../store/app-context.tsx'
import { TooltipProvider } from '../ui/tooltip.tsx'
import { Overlays } from './overlays.tsx'
import { usePaneFocus } from './pane-focus.ts'
import { Panes } from './panes.tsx'
import { useShortcuts } from './shortcuts.ts'
import { useTheme } from './use-theme.ts'
import styles from './workbench.module.css'

/** The whole window. No style element is ever added to the page: its policy would refuse it. */
export function Workbench({ app }: { readonly app: App }) {
  return (
    <CSPProvider disableStyleElements>
      <AppProvider app={app}>
        <TooltipProvider delay={500}>
          <Frame />
        </TooltipProvider>
      </AppProvider>
    </CSPProvider>
  )
}

function Frame() {
  useTheme()
  useShortcuts()
  usePaneFocus()
  return (
    <div className={styles.workbench}>
      <Banners />
      <Panes />
      <UndoToast />
      <Overlays />
    </div>
  )
}

import { openWorkbench } from '../open-workbench.ts'
import { runBrowserShell } from './browser-shell.ts'
import { builtPageFolder } from './built-page.ts'

/** `serve`: the browser shell around the real workbench, until a signal ends it. */
export function serveBrowsers(args: readonly string[]): Promise<void> {
  return runBrowserShell(args, { pageFolder: builtPageFolder(), openWorkbench })
}

import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runBrowserShell } from '../../electron/web/browser-shell.ts'
import { TOY_PAGE } from './build-toy.ts'
import { createToyWorkbench } from './toy-workbench.ts'

/** The browser shell around a toy workbench, as a process of its own: for the tests of the shell. */
await runBrowserShell(process.argv.slice(2), {
  pageFolder: pageFolder(),
  openWorkbench: async ({ dataFolder }) => ({
    router: createToyWorkbench({ dataFolder }).router,
    onReplaced: () => {},
    running: async () => [],
    close: async () => {
      await delay(Number(process.env['TOY_FLUSH_MS'] ?? 0))
      process.stderr.write('flushed\n')
    },
  }),
})

/** The bundled toy for journeys; a bare one, which needs no build, for tests of the server. */
function pageFolder() {
  if (process.env['ESPALIER_TOY']) return TOY_PAGE
  return process.env['TOY_PAGE'] ?? fileURLToPath(new URL('./toy-page/', import.meta.url))
}

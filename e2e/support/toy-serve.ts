import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runBrowserShell } from '../../electron/web/browser-shell.ts'
import { createToyWorkbench } from './toy-workbench.ts'

/** The browser shell around a toy workbench, as a process of its own: for the tests of the shell. */
await runBrowserShell(process.argv.slice(2), {
  pageFolder: process.env['TOY_PAGE'] ?? fileURLToPath(new URL('./toy-page/', import.meta.url)),
  takeLock: takeToyLock,
  openWorkbench: async ({ dataFolder }) => ({
    router: createToyWorkbench({ dataFolder }).router,
    close: async () => {
      await delay(Number(process.env['TOY_FLUSH_MS'] ?? 0))
      process.stderr.write('flushed\n')
    },
  }),
})

function takeToyLock(dataFolder: string) {
  const path = join(dataFolder, 'toy.lock')
  try {
    closeSync(openSync(path, 'wx'))
  } catch {
    return null // held
  }
  return { release: () => rmSync(path) }
}

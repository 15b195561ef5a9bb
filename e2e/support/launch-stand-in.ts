import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'
import { chromiumOptions } from './chromium.ts'
import { startMainProcess } from './main-process.ts'
import type { Run, RunOptions } from './run.ts'
import { Screen } from './stand-in/screen.ts'
import { ShellLink } from './stand-in/shell-link.ts'
import { until } from './until.ts'
import { watchPolicy } from './watch-policy.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const SOURCE = path('../../electron/main.ts')
const BUILT = path('../../out/main/main.js')

/**
 * `main.ts`, the shell and the built preload for real, on the stand-in for the module 'electron', in Chromium. The build
 * is run where there is one; the sources with `ESPALIER_TOY`, which puts a toy in the workbench's place.
 */
export async function launchStandIn(options: RunOptions): Promise<Run> {
  const entry = options.env['ESPALIER_TOY'] || !existsSync(BUILT) ? SOURCE : BUILT
  const context = await chromium.launchPersistentContext(options.profile, {
    ...chromiumOptions(),
    viewport: { width: 1360, height: 860 }, // of a first window (window-state.ts)
  })
  const violations = await watchPolicy(context)
  const main = startMainProcess({
    args: [
      '--import',
      new URL('./stand-in/register.ts', import.meta.url).href,
      entry,
      '--home',
      options.home,
      ...(options.workspace ? ['--workspace', options.workspace] : []),
      ...options.args,
    ],
    env: options.env,
    ipc: true,
  })
  const link = new ShellLink(main.child, message => screen.hear(message))
  const screen = new Screen(context, link)
  await screen.start()

  const close = async () => {
    await main.end()
    await context.close()
  }
  const page = () => screen.page() ?? fail('The shell has no window.')
  try {
    await until(() => screen.hasLoaded || main.child.exitCode !== null, 'a window of the shell')
    if (main.child.exitCode !== null)
      throw new Error(`main.ts ended with ${main.child.exitCode}: ${main.output()}`)
    for (const blank of context.pages()) if (!screen.pages().includes(blank)) await blank.close()
  } catch (error) {
    await close()
    throw error
  }
  return {
    get page() {
      return page()
    },
    pid: main.child.pid ?? 0,
    output: main.output,
    exit: main.exit,
    violations,
    async kill(signal) {
      await main.end(signal)
      await context.close()
    },
    close,
    standIn: { screen, link },
  }
}

function fail(sentence: string): never {
  throw new Error(sentence)
}

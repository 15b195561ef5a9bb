import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'
import { chromiumOptions } from './chromium.ts'
import { startMainProcess } from './main-process.ts'
import type { Run, RunOptions } from './run.ts'
import { until } from './until.ts'
import { watchPolicy } from './watch-policy.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const BUILT = path('../../out/main/serve.js')
const SOURCE = path('../../electron/serve.ts')
const TOY = path('./toy-serve.ts')
const READY = /^Espalier is ready: (http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+)$/m

/** `serve` as a process of its own, and a browser on the address it prints. */
export async function launchBrowserShell(options: RunOptions): Promise<Run> {
  const entry = options.env['ESPALIER_TOY'] ? TOY : existsSync(BUILT) ? BUILT : SOURCE
  const main = startMainProcess({
    args: [
      entry,
      '--no-open',
      '--home',
      options.home,
      ...(options.workspace ? ['--workspace', options.workspace] : []),
      ...options.args,
    ],
    env: options.env,
    ipc: false,
  })
  await until(() => READY.test(main.output()) || main.child.exitCode !== null, 'the ready line')
  const [, address] = READY.exec(main.output()) ?? []
  if (!address) throw new Error(`serve ended with ${main.child.exitCode}: ${main.output()}`)
  const context = await chromium.launchPersistentContext(options.profile, {
    ...chromiumOptions(),
    viewport: { width: 1440, height: 900 },
  })
  const violations = await watchPolicy(context)
  const page = context.pages()[0] ?? (await context.newPage())
  await page.goto(address)

  return {
    page,
    pid: main.child.pid ?? 0,
    output: main.output,
    exit: main.exit,
    violations,
    // The page stays and sees the workbench go, as a browser's would.
    kill: signal => main.end(signal),
    async close() {
      await context.close()
      await main.end()
    },
  }
}

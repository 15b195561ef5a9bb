import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { launchBrowserShell } from './launch-browser-shell.ts'
import { electronBinary, launchElectron } from './launch-electron.ts'
import { launchStandIn } from './launch-stand-in.ts'
import type { Run } from './run.ts'

export type WorkbenchKind = 'electron' | 'stand-in' | 'browser'

export interface LaunchOptions {
  /** `auto`: Electron where its binary is, else the stand-in. `ESPALIER_E2E_KIND` overrides `auto`. */
  readonly kind?: 'auto' | WorkbenchKind
  /** The data folder; absent: a fresh one, removed by `close`. */
  readonly home?: string
  readonly workspace?: string
  readonly env?: Readonly<Record<string, string>>
  /** More arguments, e.g. a deep link. */
  readonly args?: readonly string[]
}

export interface LaunchedWorkbench {
  readonly kind: WorkbenchKind
  readonly home: string
  /** Of the current run. */
  readonly page: Page
  readonly run: Run
  /** What the page's policy refused in every run so far. */
  violations(): readonly string[]
  /** Ends what still runs and starts again on the same data folder. */
  restart(): Promise<Page>
  kill(signal?: NodeJS.Signals): Promise<void>
  close(): Promise<void>
}

const LAUNCHERS = { electron: launchElectron, 'stand-in': launchStandIn, browser: launchBrowserShell }

/** Starts Espalier with a window on it and says, on the run's output, which way. */
export async function launchWorkbench(options: LaunchOptions = {}): Promise<LaunchedWorkbench> {
  const kind = chooseKind(options.kind ?? 'auto')
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'espalier-e2e-'))
  const profile = mkdtempSync(join(tmpdir(), 'espalier-profile-'))
  const start = () =>
    LAUNCHERS[kind]({
      home,
      profile,
      workspace: options.workspace,
      env: options.env ?? {},
      args: options.args ?? [],
    })
  console.log(`Espalier runs in: ${kind}`)
  let run = await start()
  const earlier: string[] = []

  return {
    kind,
    home,
    get page() {
      return run.page
    },
    get run() {
      return run
    },
    violations: () => [...earlier, ...run.violations],
    async restart() {
      await run.close()
      earlier.push(...run.violations)
      run = await start()
      return run.page
    },
    kill: (signal = 'SIGKILL') => run.kill(signal),
    async close() {
      await run.close()
      rmSync(profile, { recursive: true, force: true })
      if (!options.home) rmSync(home, { recursive: true, force: true })
    },
  }
}

function chooseKind(wanted: 'auto' | WorkbenchKind): WorkbenchKind {
  const named = process.env['ESPALIER_E2E_KIND']
  if (wanted !== 'auto') return wanted
  if (named === 'electron' || named === 'stand-in' || named === 'browser') return named
  return electronBinary() ? 'electron' : 'stand-in'
}

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { _electron } from '@playwright/test'
import type { Run, RunOptions } from './run.ts'
import { watchPolicy } from './watch-policy.ts'

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))

/** The Electron binary where it was downloaded and can run; never downloads it. */
export function electronBinary(): string | null {
  const package_ = dirname(createRequire(import.meta.url).resolve('electron/package.json'))
  const pathFile = join(package_, 'path.txt')
  if (!existsSync(pathFile)) return null
  const binary = join(package_, 'dist', readFileSync(pathFile, 'utf8').trim())
  const hasDisplay = process.platform !== 'linux' || process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']
  return existsSync(binary) && hasDisplay ? binary : null
}

/** The real thing. */
export async function launchElectron(options: RunOptions): Promise<Run> {
  const executablePath = electronBinary()
  if (!executablePath) throw new Error('There is no Electron binary here that could open a window.')
  const electron = await _electron.launch({
    executablePath,
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      PROJECT,
      '--home',
      options.home,
      ...(options.workspace ? ['--workspace', options.workspace] : []),
      ...options.args,
    ],
    env: { ...definedOf(process.env), ...options.env },
  })
  const child = electron.process()
  let text = ''
  child.stdout?.on('data', data => {
    text += data
  })
  child.stderr?.on('data', data => {
    text += data
  })
  const exit = new Promise<number | null>(resolve => child.once('exit', resolve))
  const violations = await watchPolicy(electron.context())
  return {
    page: await electron.firstWindow(),
    pid: child.pid ?? 0,
    output: () => text,
    exit,
    violations,
    async kill(signal) {
      child.kill(signal)
      await exit
    },
    close: () => electron.close(),
  }
}

function definedOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )
}

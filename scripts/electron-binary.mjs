// Finds Electron's binary, or fetches it with the package's own installer. Requiring 'electron' would do both, but
// it downloads without a limit and throws where there is no network.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'

const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'))

/** Long enough to refuse or to answer; a download that has begun gets the second limit. */
const firstAnswerMs = 8_000
const downloadMs = 300_000

/** The path to the Electron executable, `undefined` where it is not installed. */
export function electronBinary() {
  const pathFile = join(folder, 'path.txt')
  const named = existsSync(pathFile) ? readFileSync(pathFile, 'utf8') : undefined
  const override = process.env['ELECTRON_OVERRIDE_DIST_PATH']
  if (!named && !override) return undefined
  const binary = join(override ?? join(folder, 'dist'), named ?? 'electron')
  return existsSync(binary) ? binary : undefined
}

/** Tries one download; resolves to the binary, or `undefined` when it cannot be had. Never throws. */
export async function downloadElectron() {
  console.error('Fetching the Electron binary (once)…')
  const installer = spawn(process.execPath, [join(folder, 'install.js')], { stdio: 'ignore' })
  const ended = new Promise(resolve => installer.once('close', resolve).once('error', resolve))
  const reachable = fetch(process.env['ELECTRON_MIRROR'] ?? 'https://github.com/electron/electron/releases', {
    method: 'HEAD',
    signal: AbortSignal.timeout(firstAnswerMs),
  }).then(
    () => true,
    () => false,
  )
  await Promise.race([ended, delay(firstAnswerMs)])
  if (installer.exitCode === null && (await reachable)) await Promise.race([ended, delay(downloadMs)])
  if (installer.exitCode === null) installer.kill()
  return electronBinary()
}

function delay(/** @type {number} */ ms) {
  return new Promise(resolve => setTimeout(resolve, ms).unref())
}

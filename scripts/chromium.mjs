// The Chromium the tests drive: the machine's own, else Debian's, else the one Playwright downloads.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { packagedNode, projectRoot } from './packaged-node.mjs'

/** The path of a Chromium on this machine; `undefined` leaves the choice to Playwright. */
export function systemChromium() {
  const named = process.env['ESPALIER_CHROMIUM']
  if (named) return named
  const folders = ['/usr/bin', ...(process.env['PATH'] ?? '').split(delimiter)]
  return folders.map(folder => join(folder, 'chromium')).find(existsSync)
}

/** Installs one when there is none. Runs after the dependencies are installed. */
export function ensureChromium() {
  if (systemChromium() || hasPlaywrightChromium()) return true
  console.error('Setting up: installing a Chromium for the tests…')
  return installFromDebian() || installFromPlaywright()
}

function installFromDebian() {
  if (process.getuid?.() !== 0 || !isDebian()) return false
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (/** @type {string[]} */ ...args) =>
    spawnSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 2, 2], env }).status === 0
  return (
    apt('update') && apt('install', '-y', '--no-install-recommends', 'chromium') && Boolean(systemChromium())
  )
}

/** Ubuntu's package of that name only points at a snap, so apt is used on Debian itself alone. */
function isDebian() {
  return existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'))
}

function installFromPlaywright() {
  const cli = join(projectRoot, 'node_modules', '@playwright', 'test', 'cli.js')
  const withSystemLibraries = process.platform === 'linux' && process.getuid?.() === 0 ? ['--with-deps'] : []
  const args = [cli, 'install', ...withSystemLibraries, 'chromium']
  return spawnSync(packagedNode, args, { stdio: ['ignore', 2, 2] }).status === 0
}

function hasPlaywrightChromium() {
  const require = createRequire(import.meta.url)
  return existsSync(require('@playwright/test').chromium.executablePath())
}

// Makes node_modules match the lock: `node scripts/setup.mjs [--browser]`, called by prestart and pretest.
// It runs before anything is installed, so: plain JavaScript, no dependency, Node 20.
//
// Install scripts stay off (better-sqlite3 ships its binaries, yet npm would start node-gyp for it); the one that
// must run is that of the `node` package, which brings the Node everything else runs on.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import process from 'node:process'
import { ensureChromium } from './chromium.mjs'
import { packagedNode, projectRoot } from './packaged-node.mjs'
import { claimSetup } from './setup-claim.mjs'

const stampFile = join(projectRoot, 'node_modules', '.espalier-setup')

const lock = readFileSync(join(projectRoot, 'package-lock.json'))
const wanted = `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}\n`

if (!isSetUp()) {
  const claim = await claimSetup()
  if (!isSetUp()) await install(claim) // asked again: another set-up may have ended while we waited
  claim.release()
}
if (process.argv.includes('--browser') && !ensureChromium()) {
  fail('No Chromium could be found or installed; install one and run this again.')
}

function isSetUp() {
  if (!existsSync(packagedNode) || !existsSync(stampFile)) return false
  if (readFileSync(stampFile, 'utf8') === wanted) return true
  if (!npmAlreadyInstalledTheLock()) return false
  writeFileSync(stampFile, wanted)
  return true
}

/** After `npm install <package>` both have moved on together. npm writes its own list last, so a torn one differs. */
function npmAlreadyInstalledTheLock() {
  const listFile = join(projectRoot, 'node_modules', '.package-lock.json')
  if (!existsSync(listFile)) return false
  const installed = JSON.parse(readFileSync(listFile, 'utf8')).packages
  const { '': _root, ...locked } = JSON.parse(lock.toString()).packages
  const differs = Object.keys(locked).some(path =>
    installed[path] ? installed[path].version !== locked[path].version : !locked[path].optional,
  )
  const isOurs = (/** @type {string} */ path) => locked[path] || path.startsWith('node_modules/node/')
  return !differs && Object.keys(installed).every(isOurs)
}

async function install(/** @type {import('./setup-claim.mjs').Claim} */ claim) {
  console.error('Setting up: installing the locked dependencies…')
  rmSync(stampFile, { force: true }) // first, so that an interrupted install never looks finished
  await npm(claim, 'ci', '--ignore-scripts', '--include=dev')
  await npm(claim, 'rebuild', 'node', '--ignore-scripts=false')
  const version = spawnSync(packagedNode, ['--version'], { encoding: 'utf8' })
  if (version.status !== 0) fail('The packaged Node did not start after the install.')
  writeFileSync(stampFile, wanted)
  console.error(`Set up, on Node ${version.stdout.trim()}.`)
}

/**
 * Never runs npm on `process.execPath`: that may be the very Node inside the node_modules npm is about to delete.
 * @param {import('./setup-claim.mjs').Claim} claim
 * @param {string[]} args
 */
async function npm(claim, ...args) {
  const { npm_node_execpath: node, npm_execpath: cli } = process.env
  const quiet = [...args, '--loglevel=error', '--no-audit', '--no-fund']
  /** @type {import('node:child_process').SpawnOptions} */
  const options = {
    cwd: projectRoot,
    stdio: ['ignore', 2, 2], // stdout belongs to the command that comes after
    env: { ...process.env, PATH: pathWithoutOurs() },
  }
  const child =
    node && cli && basename(cli) === 'npm-cli.js'
      ? spawn(node, [cli, ...quiet], options)
      : spawn('npm', quiet, { ...options, shell: process.platform === 'win32' })
  claim.extendTo(child.pid)
  const stop = () => child.kill()
  process.once('SIGINT', stop).once('SIGTERM', stop).once('SIGHUP', stop)
  const ending = await new Promise(resolve => {
    child.once('error', error => resolve(error.message))
    child.once('close', (code, signal) => resolve(signal ?? `exit ${code}`))
  })
  process.off('SIGINT', stop).off('SIGTERM', stop).off('SIGHUP', stop)
  if (ending === 'exit 0') return
  claim.release()
  fail(`npm ${args[0]} did not finish (${ending}).`)
}

function pathWithoutOurs() {
  const ours = join(projectRoot, 'node_modules')
  const entries = (process.env['PATH'] ?? '').split(delimiter)
  return entries.filter(entry => !entry.startsWith(ours)).join(delimiter)
}

/** @returns {never} */
function fail(/** @type {string} */ sentence) {
  console.error(`Set-up failed: ${sentence}`)
  process.exit(1)
}

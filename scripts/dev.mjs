// `npm run dev`: Espalier that follows its sources. With Electron, windows reload in place; without it, the browser
// shell is built again and restarted on every change.
import { spawn } from 'node:child_process'
import { existsSync, watch } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { buildIfChanged, notBuilt, sources } from './build.mjs'
import { electronBinary } from './electron-binary.mjs'
import { projectRoot } from './packaged-node.mjs'

const args = process.argv.slice(2)

/** An editor saves in several steps, and a checkout touches many files. */
const settleMs = 200

if (electronBinary() && !args.includes('--browser')) developDesktop()
else developBrowserShell()

function developDesktop() {
  const cli = join(projectRoot, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  const desktop = start([cli, 'dev', '--watch', '--', ...args])
  desktop.on('exit', code => process.exit(code ?? 1))
}

function developBrowserShell() {
  const serve = join(projectRoot, 'out', 'main', 'serve.js')
  let server = buildIfChanged() ? start([serve, ...args]) : undefined
  /** @type {NodeJS.Timeout | undefined} */
  let settling

  const rebuild = () => {
    if (!buildIfChanged()) return
    const restart = () => {
      server = start([serve, ...args])
    }
    if (!server || server.exitCode !== null) return restart()
    server.once('exit', restart) // the data folder has one workbench at a time
    server.kill()
  }
  const onChange = (/** @type {string} */ _event, /** @type {string | null} */ name) => {
    if (name && notBuilt.test(name)) return
    clearTimeout(settling)
    settling = setTimeout(rebuild, settleMs)
  }
  for (const path of sources.map(source => join(projectRoot, source)).filter(existsSync)) {
    watch(path, { recursive: true }, onChange)
  }
}

function start(/** @type {string[]} */ nodeArgs) {
  const child = spawn(process.execPath, nodeArgs, { cwd: projectRoot, stdio: 'inherit' })
  process.once('exit', () => child.kill())
  return child
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0))

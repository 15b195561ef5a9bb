// `npm start`: builds what changed, then opens the desktop shell, or the browser shell where there is no Electron.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { buildIfChanged } from './build.mjs'
import { downloadElectron, electronBinary } from './electron-binary.mjs'
import { hostEnvironment, hostFlags, packagedNode, projectRoot } from './packaged-node.mjs'

const args = process.argv.slice(2)

if (!buildIfChanged()) process.exit(1)
const { command, flags, first } = await chooseShell()
run(command, [...flags, first, ...args])

async function chooseShell() {
  const browserShell = {
    command: packagedNode,
    flags: hostFlags,
    first: join(projectRoot, 'out', 'main', 'serve.js'),
  }
  if (args.includes('--browser')) return browserShell
  const hurdle = desktopHurdle()
  const binary = electronBinary() ?? (hurdle ? undefined : await downloadElectron())
  if (binary && !hurdle) return { command: binary, flags: [], first: projectRoot }
  console.log(`${binary ? hurdle : 'No Electron binary here'}, so Espalier opens in the browser shell.`)
  return browserShell
}

/** Why a window cannot open even with the binary, or `undefined`. */
function desktopHurdle() {
  if (process.platform !== 'linux') return undefined
  if (!process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return 'No display here'
  return process.getuid?.() === 0 ? 'Electron does not run as root' : undefined
}

/** The child's fate is ours: signals go in, its exit code or signal comes out. */
function run(/** @type {string} */ command, /** @type {string[]} */ commandArgs) {
  const child = spawn(command, commandArgs, { stdio: 'inherit', env: hostEnvironment })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the child as well; twice would look like impatience.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  followNpm(child)
  child.on('error', error => {
    console.error(`Espalier did not start: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/** npm's SIGTERM ends at the shell between it and us: when that shell is gone, so is whoever started Espalier. */
function followNpm(/** @type {import('node:child_process').ChildProcess} */ child) {
  if (!process.env['npm_lifecycle_event']) return
  const starter = process.ppid
  setInterval(() => process.ppid !== starter && child.kill('SIGTERM'), 500).unref()
}

#!/usr/bin/env node
// The `espalier` command. Plain JavaScript, so that an old Node can read it and hand over to the packaged one.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

if (canRunEspalier()) await import(entry().href)
else handOver(packagedNode())

/** Types are stripped without a flag, and better-sqlite3 loads, from 22.18. */
function canRunEspalier() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 18)
}

/** The sources in a checkout; the build where there are none, or where Node refuses to strip types. */
function entry() {
  const source = new URL('../electron/cli/main.ts', import.meta.url)
  const installed = /[\\/]node_modules[\\/]/.test(root)
  return existsSync(source) && !installed ? source : new URL('../out/main/cli.js', import.meta.url)
}

function packagedNode() {
  const require = createRequire(import.meta.url)
  try {
    const folder = dirname(require.resolve('node/package.json'))
    return join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  } catch {
    return '' // the package is not installed; handOver says so
  }
}

function handOver(/** @type {string} */ node) {
  if (!existsSync(node)) {
    console.error(
      `Espalier needs Node 22.18 or newer (this is ${process.versions.node}); run "npm start" once to fetch it.`,
    )
    process.exit(1)
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the child as well.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

// Builds main, preload and renderer into out/: `node scripts/build.mjs [--if-changed]`.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { compileCache, projectRoot } from './packaged-node.mjs'

/** What a build depends on; folders count with all they hold, except tests. */
export const sources = [
  'shared',
  'electron',
  'renderer',
  'resources',
  'electron.vite.config.ts',
  'package.json',
  'package-lock.json',
]
/** Files that stand among the sources and are never built. */
export const notBuilt = /\.(test|bench|contract)\.tsx?$/

const stampFile = join(projectRoot, 'out', '.built-from')

/** Builds unless out/ was built from exactly these sources. @returns false when the build failed, having said why */
export function buildIfChanged() {
  const current = hashOfSources()
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === current) return true
  console.error(
    existsSync(stampFile)
      ? 'Building Espalier: its sources changed…'
      : 'Building Espalier for the first time…',
  )
  return build(current)
}

function build(hash = hashOfSources()) {
  rmSync(stampFile, { force: true })
  rmSync(compileCache, { recursive: true, force: true })
  const cli = join(projectRoot, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  const result = spawnSync(process.execPath, [cli, 'build', '--logLevel', 'warn'], {
    cwd: projectRoot,
    stdio: ['ignore', 2, 2],
  })
  if (result.status !== 0) {
    console.error('The build failed; the reason is above.')
    return false
  }
  writeFileSync(stampFile, hash)
  return true
}

function hashOfSources() {
  const hash = createHash('sha256')
  for (const source of sources) addToHash(hash, source)
  return hash.digest('hex')
}

/** Contents, not times: a checkout touches files without changing them. */
function addToHash(/** @type {import('node:crypto').Hash} */ hash, /** @type {string} */ path) {
  const absolute = join(projectRoot, path)
  if (!existsSync(absolute) || notBuilt.test(path)) return
  if (statSync(absolute).isDirectory()) {
    for (const name of readdirSync(absolute).sort()) addToHash(hash, `${path}/${name}`)
    return
  }
  hash.update(`${path}\0`).update(readFileSync(absolute)).update('\0')
}

if (import.meta.main) {
  const built = process.argv.includes('--if-changed') ? buildIfChanged() : build()
  process.exitCode = built ? 0 : 1
}

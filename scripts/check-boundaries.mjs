// Checks who imports whom: `node scripts/check-boundaries.mjs`. Fails on a breach, and when it saw so few modules
// that it cannot have looked.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { projectRoot } from './packaged-node.mjs'

/** Fewer than this means the check is broken (a wrong parser, a moved folder). Raise it as the tree grows. */
const moduleFloor = 100

const folders = ['shared', 'electron', 'renderer', 'e2e']

/**
 * @param {string} root the tree to judge; the rules are always this repository's
 * @returns {{ modules: number, breaches: { rule: string, from: string, to: string, comment: string }[] }}
 */
export function findBreaches(root) {
  const cli = join(projectRoot, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs')
  const config = join(projectRoot, '.dependency-cruiser.cjs')
  const present = folders.filter(folder => existsSync(join(root, folder)))
  const cruise = spawnSync(process.execPath, [cli, '--config', config, '--output-type', 'json', ...present], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (!cruise.stdout) throw new Error(`dependency-cruiser said nothing: ${cruise.stderr}`)
  const { modules, summary } = JSON.parse(cruise.stdout)
  /** @type {Map<string, string>} */
  const comments = new Map(
    summary.ruleSetUsed.forbidden.map((/** @type {any} */ rule) => [rule.name, rule.comment]),
  )
  return {
    modules: modules.filter((/** @type {{ source: string }} */ module) => isOurs(module.source)).length,
    breaches: summary.violations.map((/** @type {any} */ { rule, from, to }) => {
      return { rule: rule.name, from, to, comment: comments.get(rule.name) ?? '' }
    }),
  }
}

function isOurs(/** @type {string} */ source) {
  return folders.some(folder => source.startsWith(`${folder}/`))
}

if (import.meta.main) {
  const { modules, breaches } = findBreaches(projectRoot)
  for (const { rule, from, to, comment } of breaches) {
    console.error(`${from} → ${to}\n  ${rule}: ${comment}`)
  }
  const tooFew = modules < moduleFloor
  if (tooFew) console.error(`Only ${modules} modules were seen, at least ${moduleFloor} are expected.`)
  console.error(`boundaries: ${modules} modules, ${breaches.length} breaches`)
  if (tooFew || breaches.length > 0) process.exitCode = 1
}

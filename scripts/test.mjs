// `npm test` after its set-up: the checks, the unit tests and the journeys, all of them even when one fails. The last
// line counts: "N passed, N failed". Exits 0 only when every step passed and both suites ran a test.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { projectRoot } from './packaged-node.mjs'
import { readJourneys, readUnitTests } from './test-counts.mjs'

const results = join(projectRoot, 'test-results')
const unitReport = join(results, 'unit.json')
const journeyReport = join(results, 'e2e.json')
rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })

const steps = {
  check: succeeds('npm run --silent check'),
  'unit tests': succeeds(`vitest run --reporter=default --reporter=json --outputFile.json="${unitReport}"`),
  build: succeeds('node scripts/build.mjs --if-changed'),
  journeys: succeeds('playwright test --reporter=line,json', { PLAYWRIGHT_JSON_OUTPUT_FILE: journeyReport }),
}

const unit = readUnitTests(unitReport)
const journeys = readJourneys(journeyReport)
const faults = [
  ...Object.entries(steps).flatMap(([step, passed]) => (passed ? [] : [`${step} failed`])),
  ...(unit.passed + unit.failed === 0 ? ['no unit test ran'] : []),
  ...(journeys.passed + journeys.failed === 0 ? ['no journey ran'] : []),
]
const skipped = unit.skipped + journeys.skipped
if (skipped > 0) console.log(`Skipped: ${skipped} tests.`)
if (faults.length > 0) console.log(`Not good: ${faults.join(', ')}.`)
console.log(`${unit.passed + journeys.passed} passed, ${unit.failed + journeys.failed} failed`)
process.exitCode = faults.length > 0 ? 1 : 0

/** Through the shell, as npm would: node_modules/.bin is on the PATH of every npm script. */
function succeeds(/** @type {string} */ command, env = {}) {
  console.log(`\n› ${command.replaceAll(`${projectRoot}/`, '')}`)
  const options = {
    cwd: projectRoot,
    env: { ...process.env, ...env },
    shell: true,
    stdio: /** @type {const} */ ('inherit'),
  }
  return spawnSync(command, options).status === 0
}

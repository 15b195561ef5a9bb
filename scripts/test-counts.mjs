// Reads the two JSON reports a test run leaves behind.
import { existsSync, readFileSync } from 'node:fs'

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @returns {Counts} all zero when the report is missing: nothing ran */
export function readUnitTests(/** @type {string} */ file) {
  const report = readReport(file)
  // A file that fails to load holds no test, yet it is a failure.
  const broken = (report.testResults ?? []).filter(isBrokenFile).length
  return {
    passed: report.numPassedTests ?? 0,
    failed: (report.numFailedTests ?? 0) + broken,
    skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
  }
}

/** @returns {Counts} all zero when the report is missing: nothing ran */
export function readJourneys(/** @type {string} */ file) {
  const { stats = {}, errors = [] } = readReport(file)
  return {
    passed: stats.expected ?? 0,
    failed: (stats.unexpected ?? 0) + (stats.flaky ?? 0) + errors.length,
    skipped: stats.skipped ?? 0,
  }
}

function isBrokenFile(/** @type {{ status: string, assertionResults: unknown[] }} */ result) {
  return result.status === 'failed' && result.assertionResults.length === 0
}

function readReport(/** @type {string} */ file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

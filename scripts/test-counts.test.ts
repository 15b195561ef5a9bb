import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readJourneys, readUnitTests } from './test-counts.mjs'

const folder = mkdtempSync(join(tmpdir(), 'espalier-counts-'))
afterAll(() => rmSync(folder, { recursive: true }))

function report(content: object) {
  const file = join(folder, `${Math.random()}.json`)
  writeFileSync(file, JSON.stringify(content))
  return file
}

describe('test counts', () => {
  it('counts a test file that does not load as a failure', () => {
    const file = report({
      numPassedTests: 3,
      numFailedTests: 1,
      numPendingTests: 2,
      numTodoTests: 0,
      testResults: [
        { status: 'failed', assertionResults: [] },
        { status: 'failed', assertionResults: [{ status: 'failed' }] },
      ],
    })

    expect(readUnitTests(file)).toEqual({ passed: 3, failed: 2, skipped: 2 })
  })

  it('counts a flaky journey as a failure', () => {
    const file = report({ stats: { expected: 5, unexpected: 1, flaky: 1, skipped: 2 }, errors: [] })

    expect(readJourneys(file)).toEqual({ passed: 5, failed: 2, skipped: 2 })
  })

  it('counts nothing when no report was written', () => {
    const nothing = { passed: 0, failed: 0, skipped: 0 }

    expect(readUnitTests(join(folder, 'missing.json'))).toEqual(nothing)
    expect(readJourneys(join(folder, 'missing.json'))).toEqual(nothing)
  })
})

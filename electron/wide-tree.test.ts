import { execFile } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const script = fileURLToPath(new URL('./fixtures/wide-tree-run.ts', import.meta.url))

/** Fails when the process does not end by itself. */
async function run(...args: string[]) {
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], {
    timeout: 45_000,
  })
  return JSON.parse(stdout)
}

const nothingLeft = {
  resident: 1,
  live: 1,
  rollup: { running: 0, waiting: 0 },
  outcome: { kind: 'completed' },
  timers: 0,
}

describe('a tree of two hundred children in three levels', () => {
  it('leaves nothing resident but its root, no timer, and a process that ends by itself', async () => {
    const left = await run('64', 'patient')

    expect(left).toMatchObject({ ...nothingLeft, children: 205 })
    expect(left.mostRunning).toBeLessThanOrEqual(64)
  }, 50_000)

  it('is kept as narrow as the limit says, and settles all the same', async () => {
    const left = await run('12')

    expect(left).toMatchObject(nothingLeft)
    expect(left.mostRunning).toBeLessThanOrEqual(12)
    expect(left.mostRunning).toBeGreaterThan(4)
  }, 50_000)
})

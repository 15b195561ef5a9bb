import { execFile } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from '@playwright/test'
import { hostFlags } from '../scripts/packaged-node.mjs'

const program = fileURLToPath(new URL('./stress/stress-run.ts', import.meta.url))

test('an hour of work, compressed, leaves every window right and the host as small as it was', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...hostFlags, '--expose-gc', program, '--events', '20000'],
    { timeout: 100_000 },
  )

  const { faults, windows } = JSON.parse(stdout)
  expect(faults).toEqual([])
  expect(windows.reloaded.loads).toBeGreaterThan(1)
  expect(windows.stalled.batches).toBeLessThan(windows.steady.batches)
})

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/*
 * A session with a very long log: 64 MiB here, 1 GiB in the nightly run (`ESPALIER_BIG_LOG_MIB=1024`). Each thing is
 * done in a process of its own, so that its memory is its own. What is read of a log that nobody resumes is read in
 * stretches: memory does not follow its length. Times are printed, never asserted.
 */

const MEBIBYTES = Number(process.env['ESPALIER_BIG_LOG_MIB'] ?? 64)
/** Espalier with nothing in it takes about 170; holding the log once, as text, would add its length. */
const MOST_RSS_MIB = 260
const RUN = fileURLToPath(new URL('./fixtures/big-log-run.ts', import.meta.url))
const PATIENCE_MS = 60_000 + MEBIBYTES * 300

interface Figures {
  readonly ms: number
  readonly stallMs: number
  /** Longest time for which a message of another session was not durable meanwhile. */
  readonly appendMs: number
  readonly rssMiB: number
}

let at: string
async function run(...args: readonly string[]): Promise<Figures> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', RUN, at, ...args])
  process.stdout.write(`big log ${MEBIBYTES} MiB: ${stdout}`)
  return JSON.parse(stdout)
}

beforeAll(async () => {
  at = mkdtempSync(join(tmpdir(), 'espalier-big-'))
  mkdirSync(join(at, 'data'))
  await run('write', String(MEBIBYTES))
}, PATIENCE_MS)
afterAll(() => rmSync(at, { recursive: true, force: true }))

describe(`a log of ${MEBIBYTES} MiB`, () => {
  it.each([
    ['starting, which folds it', 'start'],
    ['the list of sessions', 'list'],
    ['its first page', 'page'],
    ['its snapshot', 'snapshot'],
    ['a fold of all of it', 'inspect'],
    ['the doctor', 'doctor'],
  ])(
    '%s takes no more memory for its length',
    async (_what, step) => {
      const { rssMiB } = await run(step)
      expect(rssMiB).toBeLessThan(MOST_RSS_MIB)
    },
    PATIENCE_MS,
  )

  it(
    'can be resumed',
    async () => {
      const { ms } = await run('load')
      expect(ms).toBeGreaterThan(0)
    },
    PATIENCE_MS * 2,
  )
})

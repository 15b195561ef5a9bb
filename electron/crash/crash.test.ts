import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runRound } from './crash-run.ts'
import { FAULTS, Verdict } from './verdict.ts'

/*
 * Sudden deaths of the real workbench (contracts §2; the study's §8.13.19: a request is durable before it is
 * sent, what a tool is asked before its side effect, and after a crash it reads as unknown). The long run is
 * `node electron/crash/crash-nightly.ts`; a failure here is run again with `--seed <seed> --round <round>` there.
 */

const SEED = 20_261_130
const ROUNDS = 4
const LIVES = 10

let codeCache = ''
beforeAll(async () => {
  codeCache = await mkdtemp(join(tmpdir(), 'espalier-code-'))
})
afterAll(() => rm(codeCache, { recursive: true, force: true }))

it(`nothing that was acknowledged is lost in ${ROUNDS * LIVES} sudden deaths, and nothing is said that is not so`, async () => {
  const verdict = new Verdict()
  const kept: string[] = []
  const deaths = new Set<string>()

  for (let round = 0; round < ROUNDS; round += 1) {
    const onDeath = ({ at }: { readonly at: string }) => void deaths.add(at)
    const folder = await runRound({
      seed: SEED,
      round,
      lives: LIVES,
      lookEvery: 5,
      backend: 'sqlite',
      codeCache,
      verdict,
      onDeath,
    })
    if (folder !== null) kept.push(`seed ${SEED}, round ${round}: ${folder}`)
  }

  expect([...kept, ...verdict.problems]).toEqual([])
  expect(verdict.summary()).toMatchObject(Object.fromEntries(FAULTS.map(fault => [fault, 0])))
  // Deaths that hit nothing would prove nothing.
  expect(verdict.of('kills')).toBe(ROUNDS * LIVES)
  expect(verdict.of('acknowledged')).toBeGreaterThan(1000)
  expect(verdict.of('cutOff')).toBeGreaterThan((ROUNDS * LIVES) / 2)
  expect(verdict.of('notStarted')).toBeGreaterThan(ROUNDS)
  expect(verdict.of('settled')).toBeGreaterThan(ROUNDS * 5)
  expect(verdict.of('resumed')).toBeGreaterThan(ROUNDS * 3)
  expect(deaths.size).toBeGreaterThan(6)
}, 600_000)

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { CRASH_BACKENDS, runRound } from './crash-run.ts'
import { KILL_POINTS } from './kill-plan.ts'
import { Verdict } from './verdict.ts'

/*
 * The long run: `node electron/crash/crash-nightly.ts [--kills 500] [--seed <n>] [--round <n>] [--backend
 * sqlite|jsonl|zstd] [--point <name>]`. Prints a line for each round and one line of JSON at the end; leaves with 1
 * when anything was found, and keeps the folders in which it was. With `--round`, that one round is run again; with
 * `--point`, every life ends at that point.
 */

const LIVES = 10

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '500' },
    seed: { type: 'string', default: '20261130' },
    round: { type: 'string' },
    backend: { type: 'string', default: 'sqlite' },
    point: { type: 'string' },
  },
})
const seed = Number(values.seed)
const backend = CRASH_BACKENDS.find(name => name === values.backend)
if (backend === undefined) throw new Error(`--backend is one of ${CRASH_BACKENDS.join(', ')}`)
const only = KILL_POINTS.find(name => name === values.point)
if (only !== values.point) throw new Error(`--point is one of ${KILL_POINTS.join(', ')}`)
const rounds =
  values.round === undefined
    ? Array.from({ length: Math.ceil(Number(values.kills) / LIVES) }, (_, round) => round)
    : [Number(values.round)]

const codeCache = await mkdtemp(join(tmpdir(), 'espalier-code-'))
const verdict = new Verdict()
const died: Record<string, number> = {}
const kept: string[] = []
const startedAt = performance.now()
const seconds = () => Math.round((performance.now() - startedAt) / 1000)

for (const round of rounds) {
  const own = new Verdict()
  const folder = await runRound({
    seed,
    round,
    lives: LIVES,
    lookEvery: 3,
    codeCache,
    backend,
    only,
    verdict: own,
    onDeath: ({ at }) => {
      died[at] = (died[at] ?? 0) + 1
    },
  })
  verdict.add(own)
  const found = own.problems.map(problem => `  ${problem}\n`).join('')
  const words = `${seconds()} s, round ${round}: ${own.of('kills')} kills, ${own.of('acknowledged')} events acknowledged`
  process.stdout.write(`${words}, ${own.problems.length} problems\n${found}`)
  if (folder === null) continue
  kept.push(folder)
  process.stdout.write(`  kept ${folder}; again: --seed ${seed} --round ${round}\n`)
}

await rm(codeCache, { recursive: true, force: true })
process.stdout.write(
  `${JSON.stringify({ backend, seed, ...verdict.summary(), seconds: seconds(), died, kept })}\n`,
)
process.exitCode = verdict.problems.length === 0 ? 0 : 1

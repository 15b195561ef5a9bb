import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom } from '../corpus/random.ts'
import { sessionsFolder } from '../store/jsonl/format.ts'
import { makeSessionsFolder } from '../store/jsonl/make-format.ts'
import { type KillPoint, planLives } from './kill-plan.ts'
import { type Death, liveAndDie } from './live-and-die.ts'
import { Referee } from './referee.ts'
import { Verdict } from './verdict.ts'

/** How the sessions are kept: in a database, or in files of text or of zstd frames. */
export const CRASH_BACKENDS = ['sqlite', 'jsonl', 'zstd'] as const
export type CrashBackend = (typeof CRASH_BACKENDS)[number]

export interface RoundOptions {
  readonly seed: number
  /** Rounds are independent of each other: one can be run again by itself. */
  readonly round: number
  readonly lives: number
  /** The referee looks after each of so many deaths. */
  readonly lookEvery: number
  readonly codeCache: string
  readonly backend: CrashBackend
  readonly only?: KillPoint | undefined
  readonly verdict: Verdict
  readonly onDeath?: (death: Death) => void
}

/**
 * One folder, its lives one after the other, and a referee over them.
 * @returns the folder, kept, where something was found; else `null`.
 */
export async function runRound(options: RoundOptions): Promise<string | null> {
  const { seed, round, lives, lookEvery, codeCache, backend, only, verdict, onDeath } = options
  const at = await mkdtemp(join(tmpdir(), `espalier-crash-${seed}-${round}-`))
  await mkdir(join(at, 'project'))
  await writeFile(join(at, 'project', 'wall.md'), 'The wall has seven posts.\n')
  if (backend !== 'sqlite')
    makeSessionsFolder(sessionsFolder(join(at, 'data')), backend === 'zstd' ? 'zstd' : 'text')
  const own = new Verdict()
  const referee = new Referee(at, own)
  const ofRound = createRandom(seed + round * 7919).below(2 ** 31)
  const plans = planLives({ seed: ofRound, firstLife: round * lives, lives, only })
  for (const [index, plan] of plans.entries()) {
    const death = await liveAndDie(at, plan, codeCache)
    referee.hear(death)
    onDeath?.(death)
    if (index % lookEvery === lookEvery - 1 && index < lives - 1) await referee.judge()
  }
  await referee.judgeFinally()
  verdict.add(own)
  if (own.problems.length === 0) await rm(at, { recursive: true, force: true })
  return own.problems.length === 0 ? null : at
}

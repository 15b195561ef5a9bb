import { spawn } from 'node:child_process'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { encodePlan, type KillPlan } from './kill-plan.ts'
import { readStatement, type Statement } from './testimony.ts'

/** For a life that does not get to where its plan ends it. */
const LONGEST_LIFE_MS = 5000
const script = fileURLToPath(new URL('./crash-life.ts', import.meta.url))

export interface Death {
  readonly plan: KillPlan
  readonly statements: readonly Statement[]
  /** `count`, a point, or `outside`. */
  readonly at: string
}

/**
 * Runs one life until its sudden death, and takes down what it said.
 * @param codeCache a folder for compiled code: lives begin in a third of the time.
 * @throws Error when it ended in any other way: then there was no death to learn from.
 */
export async function liveAndDie(at: string, plan: KillPlan, codeCache: string): Promise<Death> {
  const life = spawn(process.execPath, [script, at, encodePlan(plan)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: codeCache },
  })
  const ended = new Promise<void>(resolve => life.once('close', () => resolve()))
  const statements: Statement[] = []
  let timer: NodeJS.Timeout | undefined
  for await (const line of createInterface({ input: life.stdout })) {
    const statement = readStatement(line)
    if (statement === null) continue
    statements.push(statement)
    if (statement.kind !== 'ready') continue
    const { when } = plan
    const afterMs = when.kind === 'time' ? when.afterUs / 1000 : LONGEST_LIFE_MS
    timer = setTimeout(() => life.kill('SIGKILL'), afterMs)
  }
  await ended
  clearTimeout(timer)
  if (life.signalCode !== 'SIGKILL') {
    throw new Error(`Life ${plan.life} ended by itself, with ${life.exitCode ?? life.signalCode}.`)
  }
  const last = statements.at(-1)
  return { plan, statements, at: last?.kind === 'dying' ? last.at : 'outside' }
}

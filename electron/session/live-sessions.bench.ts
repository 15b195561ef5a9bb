import { strict as assert } from 'node:assert'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { UNITS } from '#shared/projection/units.ts'
import type { NewEvent, StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { bareAppend } from '../bench/bare-append.ts'
import { type BenchResult, compare, type Lab, runBench, type TrialArguments } from '../bench/lab.ts'
import { measure, measureBare, type Trial } from '../bench/measure.ts'
import { childLog } from '../corpus/child-log.ts'
import { createProse } from '../corpus/prose.ts'
import { createRandom } from '../corpus/random.ts'
import { CheckpointPolicy } from '../projection/checkpoint-policy.ts'
import { ProjectionRegistry } from '../projection/registry.ts'
import { openStore } from '../store/store-client.ts'
import { LiveSessions } from './live-sessions.ts'

const SESSIONS = 50
/** An agent appends a few events, then waits for something: so many of all sessions together. */
const BURST = 100
const ROOT = toSessionId('bench-root')

await runBench(import.meta.url, {
  benchmarks: { 'append/durable': durable },
  trials: { append: appendTrial, 'bare append': bareTrial },
})

async function* durable(lab: Lab): AsyncIterable<BenchResult> {
  for (const total of [10_000, 100_000]) {
    const sizes = { events: lab.size(total, SESSIONS * 10), sessions: SESSIONS }
    const trials: Trial[] = []
    const limits: Trial[] = []
    for (let run = 0; run < 5; run += 1) {
      const dataFolder = join(lab.folder, `append-${total}-${run}`)
      trials.push(...(await lab.trials('append', { ...sizes, dataFolder }, 1)))
      limits.push(...(await lab.trials('bare append', { ...sizes, dataFolder: `${dataFolder}-bare` }, 1)))
    }
    const what = 'the same rows in one bare transaction'
    yield compare({ name: 'append/durable', sizes, trials, what, limits, run: 'first' })
  }
}

/** Everything on: log, projections, checkpoints. The time ends when every event is durable. */
async function appendTrial({ dataFolder, events, sessions }: TrialArguments): Promise<Trial> {
  mkdirSync(String(dataFolder), { recursive: true })
  const store = await openStore({ dataFolder: String(dataFolder) })
  const { persistence, checkpoints } = store
  const live = new LiveSessions({ persistence, now: Date.now, onError: fail, onTrouble: fail })
  const registry = new ProjectionRegistry(UNITS, fail)
  registry.follow(live)
  const policy = new CheckpointPolicy({ live, registry, checkpoints, onError: fail })
  const logs = logsOf(Number(sessions), Number(events))
  const hosted = await Promise.all(logs.map((_, index) => live.create(headerOf(index), [])))

  const trial = await measure(1, async () => {
    let burst = 0
    for (let seq = 0; seq < Number(events) / Number(sessions); seq += 1) {
      for (const [index, session] of hosted.entries()) {
        const event = logs[index]?.[seq]
        if (event !== undefined) session.append(event as NewEvent)
        burst += 1
        if (burst % BURST === 0) await setImmediate()
      }
    }
    await live.flush()
  })
  await policy.settle()
  const stored = await persistence.list({ kind: 'all' })
  assert.equal(
    stored.sessions.reduce((sum, { endSeq }) => sum + endSeq, 0),
    events,
  )
  await store.close()
  return trial
}

async function bareTrial({ dataFolder, events, sessions }: TrialArguments): Promise<Trial> {
  mkdirSync(String(dataFolder), { recursive: true })
  return measureBare(1, bareAppend(String(dataFolder), logsOf(Number(sessions), Number(events))))
}

function logsOf(sessions: number, events: number): (readonly StoredEvent[])[] {
  const random = createRandom(1)
  const ink = { random, prose: createProse(random) }
  const plan = {
    parent: ROOT,
    mode: 'continuable',
    label: 'Bench',
    startMs: 0,
    reason: { kind: 'completed' },
  } as const
  return Array.from({ length: sessions }, () =>
    childLog({ ...plan, events: Math.floor(events / sessions) }, ink),
  )
}

function headerOf(index: number): SessionHeader {
  const id = toSessionId(`bench-${index}`)
  return { version: 1, id, createdAt: index, parentSession: ROOT, origin: 'subagent', delegationDepth: 1 }
}

function fail(problem: unknown): void {
  if (problem !== null) throw problem
}

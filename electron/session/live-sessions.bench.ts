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
import type { Session } from './session.ts'

const SESSIONS = 50
/** An agent appends a few events, then waits for something. Bursts of different agents are different tasks of the loop. */
const BURST = 10
/** `warm`: in a process that has appended before, as one that people use has; `fresh`: code is compiled meanwhile. */
const KINDS = [
  [10_000, 'fresh'],
  [10_000, 'warm'],
  [100_000, 'warm'],
  [300_000, 'warm'],
] as const
const WARM_UP_EVENTS = 10_000
const ROOT = toSessionId('bench-root')

await runBench(import.meta.url, {
  benchmarks: { 'append/durable': durable },
  trials: { append: appendTrial, 'bare append': bareTrial },
})

async function* durable(lab: Lab): AsyncIterable<BenchResult> {
  for (const [total, run] of KINDS) {
    const sizes = { events: lab.size(total, SESSIONS * 10), sessions: SESSIONS, run }
    const trials: Trial[] = []
    const limits: Trial[] = []
    for (let trial = 0; trial < 5; trial += 1) {
      const dataFolder = join(lab.folder, `append-${run}-${total}-${trial}`)
      trials.push(...(await lab.trials('append', { ...sizes, dataFolder }, 1)))
      limits.push(...(await lab.trials('bare append', { ...sizes, dataFolder: `${dataFolder}-bare` }, 1)))
    }
    const what = 'the same rows in one bare transaction'
    yield compare({ name: 'append/durable', sizes, trials, what, limits, run: 'first' })
  }
}

/** Everything on: log, projections, checkpoints. The time ends when every event is durable. */
async function appendTrial({ dataFolder, events, sessions, run }: TrialArguments): Promise<Trial> {
  mkdirSync(String(dataFolder), { recursive: true })
  const store = await openStore({ dataFolder: String(dataFolder) })
  const { persistence, checkpoints } = store
  const live = new LiveSessions({ persistence, now: Date.now, onError: fail, onTrouble: fail })
  const registry = new ProjectionRegistry(UNITS, fail)
  registry.follow(live)
  const policy = new CheckpointPolicy({ live, registry, checkpoints, onError: fail })
  const sources = sourcesOf(Number(sessions))
  const hosted = await Promise.all(
    sources.map(async (source, index) => ({ source, session: await live.create(headerOf(index), []) })),
  )

  const append = async (count: number): Promise<void> => {
    const each = count / Number(sessions)
    const turn = oneAtATime()
    await Promise.all(hosted.map(({ session, source }) => work({ live, session, source, turn }, each)))
    await live.flush()
  }
  const before = run === 'warm' ? WARM_UP_EVENTS : 0
  await append(before)
  await policy.settle()
  const trial = await measure(1, () => append(Number(events)))
  await policy.settle()
  const stored = await persistence.list({ kind: 'all' })
  assert.equal(
    stored.sessions.reduce((sum, { endSeq }) => sum + endSeq, 0),
    before + Number(events),
  )
  await store.close()
  return trial
}

interface Worker {
  readonly live: LiveSessions
  readonly session: Session
  readonly source: Iterator<StoredEvent>
  /** Resolves in a task of the loop in which no other burst runs. */
  readonly turn: () => Promise<void>
}

/** As an agent does: a few events at a time, and at the end of a turn everything is saved before it goes on. */
async function work({ live, session, source, turn }: Worker, count: number): Promise<void> {
  await turn()
  for (let done = 1; done <= count; done += 1) {
    const { type, data }: StoredEvent = source.next().value
    session.append({ type, data } as NewEvent)
    if (type === 'turn/end') await live.flush().then(turn)
    else if (done % BURST === 0) await turn()
  }
}

function oneAtATime(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(() => setImmediate())
    return last
  }
}

async function bareTrial({ dataFolder, events, sessions }: TrialArguments): Promise<Trial> {
  mkdirSync(String(dataFolder), { recursive: true })
  return measureBare(1, bareAppend(String(dataFolder), logsOf(Number(sessions), Number(events))))
}

function logsOf(sessions: number, events: number): StoredEvent[][] {
  return sourcesOf(sessions).map(source => {
    return Array.from({ length: events / sessions }, (_, seq) => ({ ...source.next().value, seq }))
  })
}

/** Endless realistic events per session, made as they are asked for: nothing of them is kept. */
function sourcesOf(sessions: number): Generator<StoredEvent, never>[] {
  const random = createRandom(1)
  const ink = { random, prose: createProse(random) }
  const plan = {
    parent: ROOT,
    mode: 'continuable',
    label: 'Bench',
    startMs: 0,
    events: 200,
    reason: { kind: 'completed' },
  } as const
  return Array.from({ length: sessions }, () => endless())

  function* endless(): Generator<StoredEvent, never> {
    for (;;) yield* childLog(plan, ink)
  }
}

function headerOf(index: number): SessionHeader {
  const id = toSessionId(`bench-${index}`)
  return { version: 1, id, createdAt: index, parentSession: ROOT, origin: 'subagent', delegationDepth: 1 }
}

function fail(problem: unknown): void {
  if (problem !== null) throw problem
}

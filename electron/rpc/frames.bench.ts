import { strict as assert } from 'node:assert'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { isMainThread, MessageChannel, type MessagePort, Worker, workerData } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import type { Contract } from '#shared/contract.ts'
import type { FrameBatch } from '#shared/frames.ts'
import type { NewEvent, StoredEvent } from '#shared/session/events.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { type BenchResult, compare, type Lab, runBench, type TrialArguments } from '../bench/lab.ts'
import { measure, type Trial } from '../bench/measure.ts'
import { childLog } from '../corpus/child-log.ts'
import { createProse } from '../corpus/prose.ts'
import { createRandom } from '../corpus/random.ts'
import { silentLog } from '../log.ts'
import { createScriptedModel } from '../model/scripted-model.ts'
import type { Session } from '../session/session.ts'
import { openTestWorkbench } from '../workbench-fixture.ts'
import { clientPortOf, hostPortOf } from './fixtures/node-port.ts'
import { createRouter } from './router.ts'
import { servePort } from './transport/message-port.ts'
import { createPeerHost } from './transport/peer.ts'

const SESSIONS = 50
/** Events of each session between two batches. */
const BURST = 4
const SIZES = [10_000, 100_000]
const ROOT = toSessionId('bench-root')
const LISTED = { open: [], listed: [ROOT] }
/** What the heap may differ by when nothing of it is kept for the window. */
const FLAT_MIB = 4
const BETWEEN_BATCHES_MS = 16

interface WindowData {
  readonly port: MessagePort
  readonly kind: 'window' | 'echo'
}

if (isMainThread) {
  await runBench(import.meta.url, {
    benchmarks: { 'frames/push': push },
    trials: { answers: answersTrial, stalled: stalledTrial, bare: bareTrial },
  })
} else {
  const { port, kind }: WindowData = workerData
  if (kind === 'echo') port.on('message', () => port.postMessage('taken'))
  else await beWindow(port)
}

async function* push(lab: Lab): AsyncIterable<BenchResult> {
  for (const total of SIZES) {
    for (const window of ['answers', 'stalled'] as const) {
      const events = lab.size(total, SESSIONS * BURST * 10)
      const trials: Trial[] = []
      const limits: Trial[] = []
      for (let trial = 0; trial < 3; trial += 1) {
        const folder = join(lab.folder, `${window}-${total}-${trial}`)
        mkdirSync(folder)
        const [measured] = await lab.trials(window, { events, folder }, 1)
        if (measured !== undefined) trials.push(measured)
        limits.push(...(await lab.trials('bare', { folder }, 1)))
      }
      const sizes = { events, sessions: SESSIONS, window, ...trials[0]?.counts }
      const what = 'a bare MessagePort post of the same JSON, answered'
      yield compare({ name: 'frames/push', sizes, trials, what, limits, run: 'first' })
    }
  }
}

/** Appends a burst, then waits until the window has answered the batch it caused. The pauses between are not timed. */
async function answersTrial({ events, folder }: TrialArguments): Promise<Trial> {
  const bench = await openHost(String(folder))
  const rounds = Math.floor(Number(events) / (SESSIONS * BURST))
  await bench.settled()
  let pushMs = 0
  const trial = await measure(1, async () => {
    for (let round = 0; round < rounds; round += 1) {
      await setTimeout(BETWEEN_BATCHES_MS + 1)
      bench.posted.push([])
      bench.append(BURST)
      const start = performance.now()
      await bench.settled()
      pushMs += performance.now() - start
    }
  })
  const { frames, batches } = bench.told
  for (const batch of bench.told.all) assert.equal(new Set(batch.keys).size, batch.keys.length)
  for (const [index, { at }] of bench.told.all.entries()) {
    const before = bench.told.all[index - 1]
    if (before !== undefined) assert.ok(at - before.at >= BETWEEN_BATCHES_MS)
  }
  await bench.close()
  return { ...trial, ms: [pushMs], counts: { frames, batches } }
}

/** The window takes one batch and answers nothing until all is over. Timed is how it is brought up to date. */
async function stalledTrial({ events, folder }: TrialArguments): Promise<Trial> {
  const bench = await openHost(String(folder))
  const rounds = Math.floor(Number(events) / (SESSIONS * BURST))
  await bench.settled()
  bench.stall()
  const heap: number[] = []
  const trial = await measure(1, async () => {
    for (let round = 0; round < rounds; round += 1) {
      bench.append(BURST)
      if (round % 5 === 4) await bench.flush()
      if (round === Math.floor(rounds / 5)) heap.push(await heapMiB(bench))
    }
    heap.push(await heapMiB(bench))
  })
  const before = bench.told.frames
  bench.posted.push([])
  const start = performance.now()
  bench.answer()
  await bench.settled()
  const ms = [performance.now() - start]
  const [early = 0, late = 0] = heap
  const grownMiB = Math.round((late - early) * 100) / 100
  assert.ok(grownMiB < FLAT_MIB, `the heap grew by ${grownMiB} MiB`)
  const frames = bench.told.frames - before
  assert.ok(frames <= SESSIONS * bench.keys, `${frames} frames waited`)
  await bench.close()
  return { ...trial, ms, counts: { frames, grownMiB } }
}

/** The same texts in the same order, each round answered with one word. */
async function bareTrial({ folder }: TrialArguments): Promise<Trial> {
  const rounds: string[][] = JSON.parse(readFileSync(textsFile(String(folder)), 'utf8'))
  const { port1, port2 } = new MessageChannel()
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { port: port2, kind: 'echo' } satisfies WindowData,
    transferList: [port2],
  })
  const post = (text: string) =>
    new Promise(resolve => {
      port1.once('message', resolve)
      port1.postMessage(text)
    })
  await post('warm')
  let ms = 0
  const trial = await measure(1, async () => {
    for (const texts of rounds) {
      await setTimeout(1)
      const start = performance.now()
      await Promise.all(texts.map(post))
      ms += performance.now() - start
    }
  })
  port1.close()
  await worker.terminate()
  return { ...trial, ms: [ms] }
}

async function openHost(folder: string) {
  const bench = await openTestWorkbench({ model: createScriptedModel(() => 'x'), at: folder })
  const { workbench } = bench
  const { live, registry, streams } = workbench
  const told = tellingOf(streams)
  const { port1, port2 } = new MessageChannel()
  /** What went over the wire, by round. */
  const posted: string[][] = []
  const port = hostPortOf(port1)
  const served = servePort(createPeerHost(createRouter(workbench), silentLog), {
    ...port,
    postMessage: text => {
      posted.at(-1)?.push(text)
      port.postMessage(text)
    },
  })
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { port: port2, kind: 'window' } satisfies WindowData,
    transferList: [port2],
  })
  const hosted = await Promise.all(
    sourcesOf(SESSIONS).map(async (source, index) => ({ source, session: await start(index) })),
  )
  function start(index: number): Promise<Session> {
    const id = toSessionId(`bench-${index}`)
    return live.create(
      { version: 1, id, createdAt: index, parentSession: ROOT, origin: 'subagent', delegationDepth: 1 },
      [],
    )
  }
  return {
    posted,
    told,
    keys: Object.keys(registry.snapshot(toSessionId('bench-0'))?.values ?? {}).length,
    append(times: number): void {
      for (const { session, source } of hosted) {
        for (let time = 0; time < times; time += 1) {
          const { type, data }: StoredEvent = source.next().value
          session.append({ type, data } as NewEvent)
        }
      }
    },
    flush: () => live.flush(),
    settled: told.settled,
    stall: told.stall,
    answer: told.answer,
    async close(): Promise<void> {
      served.close()
      await worker.terminate()
      writeFileSync(textsFile(folder), JSON.stringify(posted))
      await workbench.close()
    },
  }
}

/** Looks over the shoulder of the streams: what is pushed, when it is answered, and answers that are kept back. */
function tellingOf(streams: Awaited<ReturnType<typeof openTestWorkbench>>['workbench']['streams']) {
  const all: { readonly at: number; readonly keys: readonly string[] }[] = []
  let [batches, frames, answered] = [0, 0, 0]
  let keptBack: (() => void) | null = null
  let isStalled = false
  let wake: () => void = () => {}
  const subscribe = streams.subscribe.bind(streams)
  const acknowledge = streams.acknowledge.bind(streams)
  streams.subscribe = (...args) => counted(subscribe(...args))
  streams.acknowledge = (id, batch) => {
    const answer = () => {
      acknowledge(id, batch)
      answered = batch
      wake()
    }
    if (isStalled) keptBack = answer
    else answer()
  }
  async function* counted(stream: AsyncGenerator<FrameBatch>): AsyncGenerator<FrameBatch> {
    for await (const batch of stream) {
      batches = batch.batch
      frames += batch.frames.length
      const keys = batch.frames.flatMap(frame =>
        frame.kind === 'projection' ? [`${frame.sessionId} ${frame.key}`] : [],
      )
      all.push({ at: performance.now(), keys })
      yield batch
    }
  }
  return {
    all,
    get batches() {
      return batches
    },
    get frames() {
      return frames
    },
    /** Everything appended so far was pushed and answered. */
    async settled(): Promise<void> {
      const before = answered
      while (answered === before || answered < batches) await new Promise<void>(resolve => (wake = resolve))
    },
    stall: () => {
      isStalled = true
    },
    answer: () => {
      isStalled = false
      keptBack?.()
    },
  }
}

async function beWindow(port: MessagePort): Promise<void> {
  const client: ContractRouterClient<Contract> = createORPCClient(new RPCLink({ port: clientPortOf(port) }))
  const subscription = 'bench'
  for await (const { batch } of await client.stream.subscribe({ subscription, watch: LISTED }))
    await client.stream.acknowledge({ subscription, batch })
}

async function heapMiB(bench: { flush(): Promise<void> }): Promise<number> {
  await bench.flush()
  await setTimeout(50)
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 2 ** 20
}

function sourcesOf(sessions: number): Generator<StoredEvent, never>[] {
  const random = createRandom(1)
  const ink = { random, prose: createProse(random) }
  const reason = { kind: 'completed' } as const
  const plan = { parent: ROOT, mode: 'continuable', label: 'Bench', startMs: 0, events: 200, reason } as const
  return Array.from({ length: sessions }, () => endless())

  function* endless(): Generator<StoredEvent, never> {
    for (;;) yield* childLog(plan, ink)
  }
}

function textsFile(folder: string): string {
  return join(folder, 'texts.json')
}

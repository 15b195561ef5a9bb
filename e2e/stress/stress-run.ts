import { strict as assert } from 'node:assert'
import process from 'node:process'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import type { NewEvent, StoredEvent } from '#shared/session/events.ts'
import { type SessionId, toSessionId } from '#shared/session/ids.ts'
import { childLog } from '../../electron/corpus/child-log.ts'
import { createProse } from '../../electron/corpus/prose.ts'
import { createRandom } from '../../electron/corpus/random.ts'
import { silentLog } from '../../electron/log.ts'
import { createScriptedModel } from '../../electron/model/scripted-model.ts'
import { createRouter } from '../../electron/rpc/router.ts'
import { createPeerHost } from '../../electron/rpc/transport/peer.ts'
import { openTestWorkbench } from '../../electron/workbench-fixture.ts'
import type { WindowReport } from './messages.ts'
import { openWindow, type StressWindow } from './windows.ts'

/*
 * An hour of work, compressed: `node --expose-gc e2e/stress/stress-run.ts [--events <n>]`. Fifty children append, go
 * and come back, through the real composition root; one window looks on, one is loaded anew every thousand frames,
 * one does not answer. Prints one line of figures; ends with 1 when a window is not what a fresh snapshot is, when a
 * seq went back, or when the host's memory grew.
 */

const CHILDREN = 50
const BURST = 10
/** Appended between two looks at whether a child should go and come back. */
const STAY = 2000
const HOUR_MS = 3_600_000
const FLAT_MIB = 12

const { values: options } = parseArgs({ options: { events: { type: 'string', default: '20000' } } })
const total = Number(options.events)
let worked = 0
const bench = await openTestWorkbench({
  model: createScriptedModel(() => 'Done.'),
  now: () => Math.floor(1_700_000_000_000 + (worked / total) * HOUR_MS),
})
const { workbench } = bench
const { live, registry, store } = workbench
const rootId = await bench.root()
const ids = Array.from({ length: CHILDREN }, (_, index) => toSessionId(`stress-${index}`))
const open = ids[0] ?? rootId
const host = createPeerHost(createRouter(workbench), silentLog)
const windows = {
  steady: openWindow(host, { rootId, open, reloadAfter: null }),
  reloaded: openWindow(host, { rootId, open, reloadAfter: 1000 }),
  stalled: openWindow(host, { rootId, open, reloadAfter: null }),
}
const memory: { readonly heapMiB: number; readonly rssMiB: number }[] = []
const startedAt = performance.now()
let isHalted: Promise<void> | null = null

await Promise.all(
  ids.map((id, index) =>
    live.create(
      { version: 1, id, createdAt: index, parentSession: rootId, origin: 'subagent', delegationDepth: 1 },
      [
        {
          type: 'subagent/descriptor',
          data: { version: 2, mode: 'continuable', provider: 'spawn', label: `Child ${index}` },
        },
      ],
    ),
  ),
)
await setTimeout(1000)
windows.stalled.stall()

const appending = Promise.all(ids.map((id, index) => work(id, index)))
await until(() => worked >= total * 0.2)
memory.push(await look())
await appending
memory.push(await look())
windows.stalled.answer()
await live.flush()
const seconds = (performance.now() - startedAt) / 1000

const reports: Record<string, Omit<WindowReport, 'held' | 'faults'>> = {}
const faults: string[] = []
for (const [name, window] of Object.entries(windows)) {
  const { held, faults: found, ...counts } = await settled(name, window)
  reports[name] = counts
  faults.push(...found.map(fault => `${name}: ${fault}`))
}
const [early, late] = memory
const grownMiB = round((late?.heapMiB ?? 0) - (early?.heapMiB ?? 0))
if (grownMiB > FLAT_MIB) faults.push(`the host's heap grew by ${grownMiB} MiB`)
const eventsPerSecond = Math.round(total / seconds)
process.stdout.write(
  `${JSON.stringify({ events: total, seconds: round(seconds), eventsPerSecond, windows: reports, memory, grownMiB, faults })}\n`,
)
await Promise.all(Object.values(windows).map(window => window.close()))
await bench.dispose()
process.exitCode = faults.length > 0 ? 1 : 0

/** One child: bursts of events, a flush at the end of each turn, and now and then it is let go and comes back. */
async function work(id: SessionId, index: number): Promise<void> {
  const source = eventsOf(index)
  for (let done = 1; done <= total / CHILDREN; done += 1) {
    const session = live.get(id)
    assert.ok(session)
    const { type, data }: StoredEvent = source.next().value
    session.append({ type, data } as NewEvent)
    worked += 1
    if (type === 'turn/end') await live.flush()
    else if (done % BURST === 0) await setImmediate()
    if (isHalted !== null) await isHalted
    if (done % STAY !== (index * 37) % STAY) continue
    await live.dispose(session)
    await setImmediate()
    live.adopt(await store.persistence.load(id))
  }
}

/** While nobody works, so that what is in memory is what is kept. */
async function look(): Promise<{ heapMiB: number; rssMiB: number }> {
  const halt = Promise.withResolvers<void>()
  isHalted = halt.promise
  await live.flush()
  await setTimeout(500)
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  isHalted = null
  halt.resolve()
  return { heapMiB: round(heapUsed / 2 ** 20), rssMiB: round(rss / 2 ** 20) }
}

/** Its report once it is equal to a fresh snapshot of everything it lists, or what differs after ten seconds. */
async function settled(name: string, window: StressWindow): Promise<WindowReport> {
  const deadline = performance.now() + 10_000
  for (;;) {
    const report = await window.report()
    const differences = await differencesOf(report)
    if (differences.length === 0) return report
    if (performance.now() > deadline)
      return { ...report, faults: [...report.faults, ...differences.map(what => `${name} ${what}`)] }
    await setTimeout(100)
  }
}

async function differencesOf({ held }: WindowReport): Promise<string[]> {
  if (held === null) return ['holds nothing']
  const differences: string[] = []
  if (held.listed.length !== CHILDREN) differences.push(`lists ${held.listed.length} children`)
  for (const id of ids) {
    const fresh = registry.snapshot(id)?.values ?? {}
    const shown = held.values[id] ?? {}
    for (const key of new Set([...Object.keys(fresh), ...Object.keys(shown)])) {
      if (!isDeepStrictEqual(json(shown[key]), json(fresh[key]))) differences.push(`differs in ${id} ${key}`)
    }
  }
  const { nextSeq = 0 } = live.get(open) ?? {}
  const tail = await store.persistence.readFrom(open, Math.max(0, nextSeq - held.events.length), 1000)
  if (held.behind !== null) differences.push(`is behind from ${held.behind}`)
  if (held.events.length === 0 || !isDeepStrictEqual(seqsOf(held.events), seqsOf(tail)))
    differences.push(`holds ${seqsOf(held.events).at(-1)} of ${nextSeq} events`)
  return differences
}

function seqsOf(events: readonly StoredEvent[]): number[] {
  return events.map(({ seq }) => seq)
}

function json(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setTimeout(5)
}

function* eventsOf(index: number): Generator<StoredEvent, never> {
  const random = createRandom(index + 1)
  const ink = { random, prose: createProse(random) }
  const reason = { kind: 'completed' } as const
  const plan = {
    parent: rootId,
    mode: 'continuable',
    label: `Child ${index}`,
    startMs: 0,
    events: 200,
    reason,
  } as const
  for (;;) yield* childLog(plan, ink)
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

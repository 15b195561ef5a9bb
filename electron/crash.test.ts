import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readEvent, type StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { createScriptedModel } from './model/scripted-model.ts'
import type { Inspection } from './store/persistence.ts'
import { openStore, type Store } from './store/store-client.ts'
import { listDescendants } from './subagent/catalog/list-descendants.ts'
import { openTestWorkbench } from './workbench-fixture.ts'

const KILLS = 16
/** Of one life: by facts and not by time, so that a slow machine dies as often in the middle of things. */
const MOST_FACTS = 250
const script = fileURLToPath(new URL('./fixtures/crash-run.ts', import.meta.url))

let at = ''
beforeAll(async () => {
  at = await mkdtemp(join(tmpdir(), 'espalier-crash-'))
  await mkdir(join(at, 'project'))
  await writeFile(join(at, 'project', 'wall.md'), 'The wall has seven posts.\n')
})
afterAll(() => rm(at, { recursive: true, force: true }))

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Runs until that many facts were logged, and is killed. @returns what it acknowledged. */
async function runAndKill(facts: number): Promise<string[]> {
  const child = spawn(process.execPath, [script, join(at, 'data'), join(at, 'project')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  const lines: string[] = []
  let logged = 0
  for await (const line of createInterface({ input: child.stdout })) {
    if (line !== '.') lines.push(line)
    else if (++logged >= facts) child.kill('SIGKILL')
  }
  await ended
  expect(child.signalCode).toBe('SIGKILL')
  return lines
}

interface Looked {
  readonly id: SessionId
  readonly seen: Inspection
}

async function look({ persistence }: Store): Promise<Looked[]> {
  const { sessions, unreadable } = await persistence.list({ kind: 'all' })
  expect(unreadable).toEqual([])
  const ids = sessions.map(({ header }) => header.id)
  return Promise.all(ids.map(async id => ({ id, seen: await persistence.inspect(id) })))
}

function checkLog({ seen: { events, damage, closers } }: Looked): void {
  expect(damage).toEqual([])
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index))
  const started = new Set<string>()
  for (const [index, stored] of events.entries()) {
    const event = readEvent(stored)
    expect(event).not.toBeNull()
    if (event?.type === 'tool/call') started.add(event.data.callId)
    if (event?.type !== 'tool/result' || index < events.length - closers) continue
    const code = started.has(event.data.callId) ? 'TOOL_OUTCOME_UNKNOWN' : 'TOOL_NOT_STARTED'
    expect(event.data).toMatchObject({ status: 'error', code })
  }
}

function isCutOffCall(stored: StoredEvent): boolean {
  const event = readEvent(stored)
  return event?.type === 'tool/result' && event.data.code === 'TOOL_OUTCOME_UNKNOWN'
}

function checkAcknowledged(lines: readonly string[], looked: readonly Looked[]): void {
  const logs = new Map(looked.map(({ id, seen }) => [id as string, seen.events]))
  for (const line of lines) {
    const [kind, sessionId = '', id] = line.split(' ')
    const log = logs.get(sessionId)
    expect(log, line).toBeDefined()
    const isThere = log?.some(stored => {
      const event = readEvent(stored)
      return event?.type === 'inbox/queued' && event.data.messageId === id
    })
    if (kind === 'message') expect(isThere, line).toBe(true)
  }
}

it(`loses nothing that it acknowledged in ${KILLS} sudden deaths, and nothing looks alive after them`, async () => {
  const random = createRandom(20_261_130)
  const lines: string[] = []
  for (let round = 0; round < KILLS; round += 1) {
    lines.push(...(await runAndKill(random() * MOST_FACTS)))
    if (round % 4 !== 3) continue
    const store = await openStore({ dataFolder: join(at, 'data') })
    const looked = await look(store)
    for (const one of looked) checkLog(one)
    checkAcknowledged(lines, looked)
    await store.close()
  }
  expect(lines.filter(line => line.startsWith('message')).length).toBeGreaterThan(KILLS)

  const { workbench, dispose } = await openTestWorkbench({ model: createScriptedModel([]), at })
  const { sessions } = await workbench.overview.list(false)
  const alive = ['running']
  for (const { header, activity, facts, rollup } of sessions) {
    expect(alive).not.toContain(facts.outcome?.kind)
    expect([activity, rollup.running]).toEqual(['inactive', 0])
    for (const entry of await listDescendants(workbench.catalog, header.id, { with: ['facts'] })) {
      expect(entry).toMatchObject({ kind: 'child', activity: 'inactive' })
      if (entry.kind === 'child') expect(alive).not.toContain(entry.facts?.outcome?.kind)
    }
  }
  const before = await look(workbench.store)
  for (const { id, seen } of before) {
    const loaded = await workbench.store.persistence.load(id)
    expect(loaded.events).toEqual(seen.events)
  }
  // Kills that hit nothing would prove nothing.
  const cutOff = before.flatMap(({ seen }) => seen.events).filter(isCutOffCall)
  expect(cutOff.length).toBeGreaterThan(KILLS / 2)
  await dispose()
}, 120_000)

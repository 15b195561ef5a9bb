import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UNITS as OWN } from '#shared/projection/units.ts'
import type { NewEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import { type SessionId, toSessionId } from '#shared/session/ids.ts'
import { CheckpointPolicy } from '../../projection/checkpoint-policy.ts'
import { createHistory } from '../../projection/history.ts'
import { ProjectionRegistry } from '../../projection/registry.ts'
import { LiveSessions } from '../../session/live-sessions.ts'
import { openStore } from '../../store/store-client.ts'
import { UNITS, WAYS } from './fixtures/probe-unit.ts'
import { listChildren } from './list-children.ts'

/*
 * One unit that keeps none of its promises, on the logs that set it off: live, cold through the real store thread, and
 * after a reload. Everybody else's values, sessions and commits are as if it were not there. A unit that breaks in
 * `init` breaks on every log: that is tested with the fold.
 */

const PARENT = toSessionId('parent')
const NAMES: readonly SessionId[] = WAYS.map((_, index) => toSessionId(`child-${index + 10}`))
const HEALTHY = [toSessionId('healthy-1'), toSessionId('healthy-2')]
const ALL = [...NAMES, ...HEALTHY]

const told = (label: string): NewEvent[] => [
  { type: 'subagent/descriptor', data: { version: 2, mode: 'continuable', provider: 'spawn', label } },
  { type: 'turn/start', data: { turn: 1 } },
  { type: 'session/title', data: { title: `Title of ${label}`, source: 'person' } },
]
/** Unknown to every unit but the probe. */
const setsOff = (way: string) => ({ type: 'x/probe', data: way }) as unknown as NewEvent
const ends: NewEvent = { type: 'turn/end', data: { turn: 1, reason: { kind: 'completed' } } }

const problems: unknown[] = []
const onError = (error: unknown) => problems.push(error)
let folder: string
let lab: Lab

beforeEach(async () => {
  problems.length = 0
  folder = await mkdtemp(join(tmpdir(), 'espalier-probe-'))
  lab = await start()
})
afterEach(async () => {
  await stop()
  await rm(folder, { recursive: true, force: true })
})

/** A process over the folder. */
async function start() {
  const unitsModule = new URL('./fixtures/probe-unit.ts', import.meta.url).href
  const store = await openStore({ dataFolder: folder, unitsModule })
  const { persistence, checkpoints } = store
  const live = new LiveSessions({ persistence, now: () => 5000, onError, onTrouble: () => {} })
  const registry = new ProjectionRegistry(UNITS, onError, persistence.readFrom)
  const healthy = new ProjectionRegistry(OWN, onError)
  registry.follow(live)
  healthy.follow(live)
  const policy = new CheckpointPolicy({ live, registry, checkpoints, onError })
  live.onRemoved(session => registry.forget(session))
  const history = createHistory({ live, registry, persistence, checkpoints, onError })
  return { store, live, registry, healthy, policy, history }
}
type Lab = Awaited<ReturnType<typeof start>>

async function stop(): Promise<void> {
  for (const session of lab.live.list()) await lab.live.dispose(session)
  await lab.policy.settle()
  await lab.store.close()
}

async function reload(): Promise<void> {
  await stop()
  lab = await start()
}

/** Every child with its own way to set the probe off, and two that do not. */
async function hostAll(): Promise<void> {
  for (const [index, id] of ALL.entries()) {
    const header: SessionHeader = {
      version: 1,
      id,
      createdAt: index,
      parentSession: PARENT,
      origin: 'subagent',
    }
    const session = await lab.live.create(header, [])
    const way = WAYS[index]
    for (const event of [...told(id), ...(way === undefined ? [] : [setsOff(way)])]) session.append(event)
  }
}

const list = () =>
  listChildren({ sessions: lab.live, registry: lab.registry, ...lab.store }, PARENT, { with: ['detail'] })

const rowOf = (id: SessionId) =>
  HEALTHY.includes(id)
    ? { kind: 'child', id, label: id }
    : {
        kind: 'diagnostic',
        id,
        reason: 'corrupt',
        detail: { cause: 'unit-fault', unit: 'probe' },
        label: id,
        title: `Title of ${id}`,
      }
const ROWS = ALL.map(rowOf)

describe('a unit that was set off', () => {
  it('makes only those children corrupt, which the window can name and open: live, cold and after a reload', async () => {
    await hostAll()
    expect(await list()).toMatchObject(ROWS)
    for (const id of ALL) {
      const page = await lab.history.page(id, { limit: 50 })
      expect(page).toMatchObject({
        live: true,
        snapshot: { values: { title: `Title of ${id}` } },
        damage: [],
      })
      expect(page.snapshot?.faults.map(({ key }) => key)).toEqual(HEALTHY.includes(id) ? [] : ['probe'])
    }

    await reload()
    expect(lab.live.list()).toEqual([])
    expect(await list()).toMatchObject(ROWS)
    for (const id of ALL) {
      const page = await lab.history.page(id, { limit: 50 })
      expect(page).toMatchObject({
        live: false,
        snapshot: { values: { title: `Title of ${id}` } },
        damage: [],
      })
      expect(page.snapshot?.faults.map(({ key }) => key)).toEqual(HEALTHY.includes(id) ? [] : ['probe'])
    }
    expect(problems).toEqual([])
  })

  it('changes no value of another unit and no commit, and one change says that it reads null', async () => {
    const heard: string[] = []
    lab.registry.onChanged(({ session, key }) => {
      if (key === 'probe')
        heard.push(`${session.id} ${JSON.stringify(lab.registry.valueOf(session.id, key))}`)
    })
    await hostAll()
    for (const session of lab.live.list()) session.append(ends)
    await lab.live.flush()

    expect(heard.toSorted()).toEqual(NAMES.map(id => `${id} null`).toSorted())
    for (const id of ALL) {
      const { values, asOfSeq, faults } = lab.registry.snapshot(id) ?? {}
      const expected = lab.healthy.snapshot(id)
      const probe = HEALTHY.includes(id) ? { way: null, list: [] } : null
      expect({ values, asOfSeq }).toEqual({
        values: { ...expected?.values, probe },
        asOfSeq: expected?.asOfSeq,
      })
      expect(faults).toHaveLength(HEALTHY.includes(id) ? 0 : 1)
      expect(lab.live.get(id)?.savedSeq).toBe((asOfSeq ?? 0) + 1)
    }

    const asked = lab.live.list().map(({ id }) => [id, lab.registry.snapshot(id)?.values] as const)
    await reload()
    for (const [id, live] of asked) {
      const { values, faults } = (await lab.store.persistence.inspectFolded(id)).snapshot
      expect(values).toEqual(live)
      expect(faults).toHaveLength(HEALTHY.includes(id) ? 0 : 1)
      expect((await lab.store.checkpoints.snapshot(id)).values).toEqual(live)
    }
  })

  it('has no row in a checkpoint, which names it: the rows of the others are there, and are theirs', async () => {
    await hostAll()
    for (const session of lab.live.list()) session.append(ends)
    await lab.policy.settle()
    const read = await lab.store.checkpoints.read(ALL, ['title', 'turns', 'probe'])

    expect(read).toHaveLength(NAMES.length + HEALTHY.length)
    for (const { sessionId, values, faults } of read) {
      const isHealthy = HEALTHY.includes(sessionId)
      expect(values['title']).toBe(`Title of ${sessionId}`)
      expect(values['turns']).toMatchObject({ own: 1, latest: 1 })
      expect(faults).toEqual(isHealthy ? [] : ['probe'])
      expect(values['probe']).toEqual(isHealthy ? { way: null, list: [] } : undefined)
    }
    expect(problems).toEqual([])
  })
})

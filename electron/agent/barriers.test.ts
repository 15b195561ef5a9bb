import { existsSync, watch } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { textOf } from '#shared/session/content.ts'
import { readEvent, type StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { createScriptedModel } from '../model/scripted-model.ts'
import { openStore, type Store } from '../store/store-client.ts'
import { delegate, eventsOf, openTestTree, type Play } from '../tree-fixture.ts'
import { openTestWorkbench, type TestWorkbench } from '../workbench-fixture.ts'

/*
 * What is durable before what (contracts §2; the study's §8.13.19), seen from the store: it answers a write late,
 * so that whoever does not wait is found out. On purpose different from the study: a save that fails does not fail
 * the request or the call, they wait until it works (until-saved.test.ts); there are no requests without a session,
 * no nested dispatch, and no policy to remove.
 */

const made: TestWorkbench[] = []
afterEach(async () => {
  for (const bench of made.splice(0)) await bench.dispose()
})

const LATE_MS = 25

/** What the disk holds, per session, as far as the store has answered. */
type Disk = Map<SessionId, StoredEvent[]>

async function openLate(parts: (disk: Disk) => { root: Play; child: Play }) {
  const disk: Disk = new Map()
  const keep = (id: SessionId, events: readonly StoredEvent[]) =>
    disk.set(id, [...(disk.get(id) ?? []), ...events])
  const late = (store: Store): Store => ({
    ...store,
    persistence: {
      ...store.persistence,
      async create(header, events) {
        await store.persistence.create(header, events)
        keep(header.id, events)
      },
      async append(batches) {
        await new Promise(resolve => setTimeout(resolve, LATE_MS))
        const results = await store.persistence.append(batches)
        for (const { sessionId, events } of batches) keep(sessionId, events)
        return results
      },
    },
  })
  const one = await openTestTree(parts(disk), { openStore: async options => late(await openStore(options)) })
  made.push(one)
  return { one, disk }
}

/** The log on the disk of the session that was told `word`, by type. */
function onDisk(disk: Disk, word: string): string[] {
  const logs = [...disk.values()]
  const log = logs.find(events =>
    eventsOf(events, 'user/message').some(({ data }) => textOf(data.content) === word),
  )
  return (log ?? []).map(({ type }) => type)
}

describe('a model request', () => {
  it('is sent when the message and its step are on the disk, in a root and in every child (8.13.19)', async () => {
    const seen: [string, string | undefined][] = []
    const { one } = await openLate(disk => {
      const look = (word: string) => seen.push([word, onDisk(disk, word).at(-1)])
      return {
        root: ({ prompt, lastUserText }) => {
          look(lastUserText)
          if (lastUserText !== 'Go') return 'I see.'
          if (prompt.at(-1)?.role === 'tool') return 'Summed up.'
          return {
            calls: [
              ...delegate({ prompt: 'one-shot', mode: 'one-shot' }).calls!,
              ...delegate({ prompt: 'continuable', mode: 'continuable', background: false }).calls!,
            ],
          }
        },
        child: ({ lastUserText }) => {
          look(lastUserText)
          return 'Done.'
        },
      }
    })

    await one.prompt(await one.root(), 'Go')

    expect(seen.map(([word]) => word).toSorted()).toEqual(['Go', 'Go', 'continuable', 'one-shot'])
    expect(new Set(seen.map(([, last]) => last))).toEqual(new Set(['step/start']))
  })

  it('that is tried again waits again', async () => {
    const seen: (string | undefined)[] = []
    let tries = 0
    const { one } = await openLate(disk => ({
      root: () => {
        seen.push(onDisk(disk, 'Go').at(-1))
        tries += 1
        return tries === 1
          ? { reject: Object.assign(new Error('fetch failed'), { code: 'ECONNRESET' }) }
          : 'Now.'
      },
      child: () => '',
    }))

    await one.send(await one.root(), 'Go')
    await one.until(() => seen.length === 2)

    expect(seen).toEqual(['step/start', 'llm/retry'])
  })

  it('is not sent when the turn is stopped while it waits (8.13.19)', async () => {
    const { one } = await openLate(() => ({ root: () => 'Too late.', child: () => '' }))
    const root = await one.root()
    const { live, activations } = one.workbench
    live.onEvent((session, { type }) => {
      if (type === 'step/start') setTimeout(() => activations.get(session.id)?.agent.interrupt('user'), 5)
    })

    await one.prompt(root, 'Go')

    expect(one.model.requests).toHaveLength(0)
    expect(await one.outcome(root)).toEqual({ kind: 'cancelled', by: 'user' })
  })

  it('of a log that somebody else went on with is not sent (P66)', async () => {
    const { one } = await openLate(() => ({ root: () => 'Too late.', child: () => '' }))
    const root = await one.root()
    const seq = (await one.log(root)).length
    const theirs = { seq, time: 0, type: 'session/title', data: { title: 'Theirs', source: 'person' } }
    await one.workbench.store.persistence.append([{ sessionId: root, expectedSeq: seq, events: [theirs] }])

    await expect(one.send(root, 'Go')).rejects.toMatchObject({ code: 'SEQ_CONFLICT' })
    await one.until(() => one.workbench.activations.get(root) === undefined)
    await new Promise(resolve => setTimeout(resolve, 50))

    expect(one.model.requests).toHaveLength(0)
    expect((await one.log(root)).at(-1)).toEqual(theirs)
  })
})

describe("a tool's body", () => {
  const note = (path: string) => ({ name: 'write', input: { path, content: 'x' } })
  const writesNote: Play = ({ prompt }) =>
    prompt.at(-1)?.role === 'tool' ? 'Written.' : { calls: [note('child-1')] }

  it('runs when what it was asked is on the disk, in a root and in a one-shot child (8.13.19)', async () => {
    const { one, disk } = await openLate(() => ({
      root: ({ prompt }) =>
        prompt.at(-1)?.role === 'tool'
          ? 'Summed up.'
          : { calls: [note('root-1'), note('root-2'), ...delegate({ prompt: 'Write.' }).calls!] },
      child: writesNote,
    }))
    const seen = new Map<string, string>()
    const watcher = watch(one.folder, (_, path) => {
      const events = [...disk.values()].flat().map(readEvent)
      const isDeclared = events.some(
        event => event?.type === 'tool/call' && JSON.stringify(event.data.input).includes(`"${path}"`),
      )
      if (path !== null && !seen.has(path)) seen.set(path, isDeclared ? 'declared' : 'before it was declared')
    })

    await one.prompt(await one.root(), 'Go')

    watcher.close()
    for (const path of ['root-1', 'root-2', 'child-1'])
      expect([path, seen.get(path)]).toEqual([path, 'declared'])
  })

  it('does not run when the turn is stopped while it waits, and its result says so (8.13.19)', async () => {
    const { one } = await openLate(() => ({
      root: writesNote,
      child: () => '',
    }))
    const root = await one.root()
    const { live, activations } = one.workbench
    live.onEvent((session, { type }) => {
      if (type === 'tool/call') setTimeout(() => activations.get(session.id)?.agent.interrupt('user'), 5)
    })

    await one.prompt(root, 'Go')

    expect(existsSync(join(one.folder, 'child-1'))).toBe(false)
    const results = eventsOf(await one.log(root), 'tool/result').map(({ data }) => data.code)
    expect(results).toEqual(['CANCELLED'])
  })
})

describe('the end of a turn', () => {
  it('is on the disk before anybody is told, and the agent is idle only then', async () => {
    const told: [string, string | undefined][] = []
    const { one, disk } = await openLate(() => ({
      root: ({ prompt, lastUserText }) => {
        if (lastUserText !== 'Go') return 'I see.'
        if (prompt.at(-1)?.role === 'tool') return 'Summed up.'
        return {
          calls: [
            ...delegate({ prompt: 'awaited' }).calls!,
            ...delegate({ prompt: 'in the background', background: true }).calls!,
          ],
        }
      },
      child: () => 'Done.',
    }))
    const root = await one.root()
    one.workbench.live.onEvent((_, { type, data }) => {
      if (type === 'subagent/settled') told.push([type, onDisk(disk, 'in the background').at(-1)])
      if (type === 'tool/result' && JSON.stringify(data).includes('childSeq'))
        told.push([type, onDisk(disk, 'awaited').at(-1)])
    })

    await one.send(root, 'Go')
    const { agent, session } = one.workbench.activations.get(root)!
    await one.until(() => told.length === 2)
    await one.until(() => !agent.isRunning)

    expect(new Map(told)).toEqual(
      new Map([
        ['tool/result', 'turn/end'],
        ['subagent/settled', 'turn/end'],
      ]),
    )
    expect(session.savedSeq).toBe(session.nextSeq)
  })

  it('is on the disk when Espalier is closed in the middle of it, for everybody', async () => {
    const { one, disk } = await openLate(() => ({
      root: ({ prompt }) => (prompt.at(-1)?.role === 'tool' ? 'Summed up.' : delegate({ prompt: 'awaited' })),
      child: () => ({ text: 'So far', stall: true }),
    }))
    await one.send(await one.root(), 'Go')
    await one.until(() => one.model.requests.length === 2)
    await new Promise(resolve => setTimeout(resolve, 20))

    await one.workbench.close()

    for (const word of ['Go', 'awaited'])
      expect([word, onDisk(disk, word).at(-1)]).toEqual([word, 'turn/end'])
    const kept = [...disk.values()].flatMap(log => eventsOf(log, 'assistant/message'))
    expect(kept.map(({ data }) => [textOf(data.content), data.interrupted])).toContainEqual(['So far', true])
  })
})

describe('a message that is being streamed', () => {
  it('lacks at most its last second after a sudden end', async () => {
    const model = createScriptedModel(() => 'word '.repeat(10_000), { paceMs: 1 })
    const one = await openTestWorkbench({ model })
    made.push(one)
    const root = await one.root()
    await one.send(root, 'Go')
    const said = () => one.workbench.activations.get(root)?.agent.liveMessage?.pieces()[0]?.text ?? ''
    await one.until(() => said().length > 100)
    const before = said()
    await new Promise(resolve => setTimeout(resolve, 1400))

    const second = await one.restart()
    made.push(second)
    const { events } = await second.workbench.store.persistence.inspect(root)

    const [kept] = eventsOf(events, 'assistant/message')
    expect(kept?.data.interrupted).toBe(true)
    expect(textOf(kept?.data.content ?? []).startsWith(before)).toBe(true)
  })
})

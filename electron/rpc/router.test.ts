import { createRouterClient, isDefinedError } from '@orpc/server'
import { afterEach, describe, expect, it } from 'vitest'
import type { Frame } from '#shared/frames.ts'
import { textContent } from '#shared/session/content.ts'
import { type SessionId, toSessionId } from '#shared/session/ids.ts'
import { createScriptedModel, type ScriptedRequest, type ScriptedStep } from '../model/scripted-model.ts'
import { openTestWorkbench, type TestWorkbench } from '../workbench-fixture.ts'
import { createRouter } from './router.ts'

/* Calls and streams over the composition root. The study's §8.15, RT: children are addressed as children, one-shots are read only. */

const made: TestWorkbench[] = []
afterEach(async () => {
  for (const bench of made.splice(0)) await bench.dispose()
})

async function connect(play: (request: ScriptedRequest) => ScriptedStep | string = () => 'Hello there.') {
  const bench = await openTestWorkbench({ model: createScriptedModel(play) })
  made.push(bench)
  const router = createRouter(bench.workbench)
  const client = createRouterClient(router, { context: { connection: { id: 'window' } } })
  return { bench, client }
}
type Client = Awaited<ReturnType<typeof connect>>['client']

/** A window that acknowledges at once and keeps every frame. */
async function look(client: Client, open: SessionId[] = [], listed: SessionId[] = []) {
  const abort = new AbortController()
  const frames: Frame[] = []
  const batches: number[] = []
  const stream = await client.stream.subscribe(
    { subscription: 'main', watch: { open, listed } },
    { signal: abort.signal },
  )
  const reading = (async () => {
    for await (const { batch, frames: fresh } of stream) {
      batches.push(batch)
      frames.push(...fresh)
      await client.stream.acknowledge({ subscription: 'main', batch })
    }
  })()
  return {
    frames,
    batches,
    watch: (next: { open: SessionId[]; listed: SessionId[] }) =>
      client.stream.watch({ subscription: 'main', watch: next }),
    async close() {
      abort.abort()
      await reading.catch(() => undefined)
    },
  }
}

const delegating = ({ prompt, system }: ScriptedRequest): ScriptedStep | string => {
  if (system.includes('You are a delegated agent.')) return 'Child here.'
  if (prompt.some(({ role }) => role === 'tool')) return 'Done.'
  return { calls: [{ name: 'delegate', input: { description: 'Look around', prompt: 'Look.' } }] }
}

describe('the contract', () => {
  it('creates, prompts, lists and pages a session', async () => {
    const { client, bench } = await connect()
    const { sessionId } = await client.sessions.create({ cwd: bench.folder })

    await client.agents.prompt({ sessionId, content: textContent('Hi') })
    await bench.until(async () => (await bench.outcome(sessionId))?.kind === 'completed')

    const { sessions } = await client.sessions.list({})
    expect(sessions).toMatchObject([{ title: 'Hi', facts: { outcome: { kind: 'completed' } } }])
    const page = await client.history.page({ sessionId })
    expect(page).toMatchObject({ live: true, nextBefore: null })
    expect(page.events.at(-1)?.type).toBe('turn/end')
    expect(page.snapshot?.values['title']).toBe('Hi')
  })

  it('refuses a child under the calls for roots, and a root under those for children', async () => {
    const { client, bench } = await connect(delegating)
    const root = await bench.root()
    await bench.prompt(root, 'Go')
    const { entries } = await client.subagents.children({ parentId: root })
    const content = textContent('Hi')

    await expect(client.agents.prompt({ sessionId: entries[0]!.id, content })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    })
    await expect(client.subagents.send({ childId: root, content })).rejects.toMatchObject({
      code: 'SUBAGENT_NOT_FOUND',
    })
  })

  it('answers an id that is gone, an id that is none and a call for a one-shot child with typed errors', async () => {
    const { client, bench } = await connect(delegating)
    const root = await bench.root()
    await bench.prompt(root, 'Go')
    const { entries } = await client.subagents.children({ parentId: root })
    const childId = entries[0]!.id

    const gone = await client.sessions
      .get({ sessionId: toSessionId('gone') })
      .catch((error: unknown) => error)
    const hostile = await client.history
      .page({ sessionId: '../../etc/passwd' as SessionId })
      .catch((error: unknown) => error)
    const ended = await client.subagents
      .send({ childId, content: textContent('Hi') })
      .catch((error: unknown) => error)

    expect(gone).toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(hostile).toMatchObject({ code: 'BAD_REQUEST' })
    expect(ended).toMatchObject({ code: 'NOT_RESUMABLE' })
    expect(isDefinedError(ended)).toBe(true)
  })

  it('hides what is inside an unexpected failure', async () => {
    const { client, bench } = await connect()
    await bench.workbench.store.close()

    const failure = await client.sessions.list({}).catch((error: unknown) => error)

    expect(failure).toMatchObject({ code: expect.stringMatching(/^(INTERNAL|STORE_UNAVAILABLE)$/) })
    expect(JSON.stringify(failure)).not.toContain(bench.dataFolder)
  })
})

describe('streams', () => {
  it('tells a window of a new root, its values, its committed events and its text', async () => {
    const { client, bench } = await connect()
    const view = await look(client)
    const { sessionId } = await client.sessions.create({ cwd: bench.folder })
    await view.watch({ open: [sessionId], listed: [] })

    await bench.prompt(sessionId, 'Hi')
    await bench.until(() => view.frames.some(frame => frame.kind === 'events' && ends(frame)))
    await view.close()

    expect(view.frames.some(frame => frame.kind === 'added' && frame.header.id === sessionId)).toBe(true)
    const events = view.frames.flatMap(frame => (frame.kind === 'events' ? frame.events : []))
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => (events[0]?.seq ?? 0) + index))
    expect(lastValue(view.frames, 'outcome')).toEqual({ kind: 'completed' })
    expect(view.batches).toEqual(view.batches.map((_, index) => index + 1))
  })

  it('sends frames of children only to a window that lists their parent', async () => {
    const { client, bench } = await connect(delegating)
    const root = await bench.root()
    const view = await look(client)

    await bench.prompt(root, 'Go')
    await bench.until(() => lastValue(view.frames, 'outcome', root) !== undefined)
    await view.close()

    const ids = view.frames.flatMap(frame => ('sessionId' in frame ? [frame.sessionId] : []))
    expect(new Set(ids)).toEqual(new Set([root]))
  })

  it('sends a child added, its values and its end to a window that lists its parent', async () => {
    const { client, bench } = await connect(delegating)
    const root = await bench.root()
    const view = await look(client, [], [root])

    await bench.prompt(root, 'Go')
    const { entries } = await client.subagents.children({ parentId: root })
    const childId = entries[0]!.id
    await bench.until(() => view.frames.some(frame => isActivity(frame, childId, 'inactive')))
    await view.close()

    expect(view.frames.some(frame => frame.kind === 'added' && frame.header.id === childId)).toBe(true)
    expect(lastValue(view.frames, 'outcome', childId)).toEqual({ kind: 'completed' })
  })

  it('queues no batch for a window that does not answer, and gives it the last values when it does', async () => {
    const { client, bench } = await connect()
    const root = await bench.root()
    const abort = new AbortController()
    const stream = await client.stream.subscribe(
      { subscription: 'slow', watch: { open: [root], listed: [] } },
      { signal: abort.signal },
    )
    const first = await stream.next()
    for (let turn = 0; turn < 30; turn += 1) await bench.prompt(root, `Message ${turn}`)

    await client.stream.acknowledge({ subscription: 'slow', batch: 1 })
    const second = await stream.next()
    abort.abort()

    expect([first.value, second.value]).toMatchObject([{ batch: 1 }, { batch: 2 }])
    const frames = second.done ? [] : second.value.frames
    const perKey = frames.filter(frame => frame.kind === 'projection' && frame.key === 'turns')
    expect(perKey).toHaveLength(1)
    expect(perKey?.[0]).toMatchObject({ value: { own: 30 } })
  })

  it('serves a long cold log at once and its values by frame, to the window that has it open', async () => {
    const { client, bench } = await connect()
    const [open, other] = [toSessionId('open'), toSessionId('other')]
    for (const id of [open, other]) {
      const events = Array.from({ length: 2500 }, (_, seq) => ({
        seq,
        time: seq,
        type: 'session/title',
        data: { title: `t${seq}`, source: 'person' },
      }))
      await bench.workbench.store.persistence.create({ version: 1, id, createdAt: 1 }, events)
    }
    const window = await look(client, [open])

    expect((await client.history.page({ sessionId: open, limit: 5 })).snapshot).toBeNull()
    await client.history.page({ sessionId: other, limit: 5 })
    await bench.until(() => lastValue(window.frames, 'title', open) === 't2499')
    await bench.workbench.store.checkpoints.snapshot(other)
    await new Promise(resolve => setTimeout(resolve, 100))

    expect(lastValue(window.frames, 'title', other)).toBeUndefined()
    await window.close()
  })
})

function ends(frame: Extract<Frame, { kind: 'events' }>): boolean {
  return frame.events.some(({ type }) => type === 'turn/end')
}

function isActivity(frame: Frame, id: SessionId, activity: string): boolean {
  return frame.kind === 'activity' && frame.sessionId === id && frame.activity === activity
}

function lastValue(frames: readonly Frame[], key: string, id?: SessionId): unknown {
  const values = frames.flatMap(frame => {
    if (!('sessionId' in frame) || (id !== undefined && frame.sessionId !== id)) return []
    if (frame.kind === 'projection' && frame.key === key) return [frame.value]
    return frame.kind === 'snapshot' && key in frame.values ? [frame.values[key]] : []
  })
  return values.at(-1)
}

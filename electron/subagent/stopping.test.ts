import { mkdir, rm } from 'node:fs/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { WorkbenchError } from '#shared/errors.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import { openStore, type Store } from '../store/store-client.ts'
import {
  delegate,
  delegatesOnce,
  eventsOf,
  onlyChild,
  openTestTree,
  type Play,
  writes,
} from '../tree-fixture.ts'
import type { TestWorkbench } from '../workbench-fixture.ts'

const made: TestWorkbench[] = []
afterEach(async () => {
  for (const bench of made.splice(0)) await bench.dispose()
})

/** Children are created when `open` is called, not before. */
function createGate() {
  const gate = Promise.withResolvers<void>()
  let waiting = 0
  const decorate = (store: Store): Store => ({
    ...store,
    persistence: {
      ...store.persistence,
      create: async (header: SessionHeader, events: readonly StoredEvent[]) => {
        if (header.origin === 'subagent') {
          waiting += 1
          await gate.promise
        }
        return store.persistence.create(header, events)
      },
    },
  })
  return { open: gate.resolve, waiting: () => waiting, decorate }
}

async function bench(parts: { root: Play; child: Play }, decorate = (store: Store) => store) {
  const opened = await openTestTree(parts, {
    openStore: async options => decorate(await openStore(options)),
  })
  made.push(opened)
  return opened
}

describe('stopping a tree while a child is being created', () => {
  for (const background of [true, false]) {
    it(`stops that child as well (${background ? 'background' : 'foreground'})`, async () => {
      const gate = createGate()
      const one = await bench(
        { root: delegatesOnce({ background }), child: () => ({ text: 'Busy', stall: true }) },
        gate.decorate,
      )
      const root = await one.root()
      await one.send(root, 'Go')
      await one.until(() => gate.waiting() === 1)

      const stopping = one.workbench.messaging.stopTree(root)
      gate.open()
      await stopping
      await one.until(() => one.workbench.activations.list().length === 1)

      expect(await onlyChild(one, root)).toMatchObject({
        activity: 'inactive',
        facts: { outcome: { kind: 'cancelled', by: 'parent' } },
      })
      expect(await one.outcome(root)).toEqual({ kind: 'cancelled', by: 'user' })
    })
  }

  it('ends with nothing alive when Espalier closes instead', async () => {
    const gate = createGate()
    const one = await bench(
      { root: delegatesOnce({ background: true }), child: () => ({ text: 'Busy', stall: true }) },
      gate.decorate,
    )
    const root = await one.root()
    await one.send(root, 'Go')
    await one.until(() => gate.waiting() === 1)

    const closing = one.workbench.close()
    gate.open()
    await closing
    const second = await one.restart()
    made.push(second)

    expect(await onlyChild(second, root)).toMatchObject({ kind: 'child', activity: 'inactive' })
    expect(second.workbench.rollups.of(root)).toEqual({ running: 0, waiting: 0 })
    expect(await second.outcome(root)).toEqual({ kind: 'cancelled', by: 'disposed' })
  })
})

describe('stopping what waits for an answer since an earlier run', () => {
  async function waitingChild() {
    const one = await bench({ root: delegatesOnce({ mode: 'continuable' }), child: writes })
    const root = await one.root('ask')
    await one.send(root, 'Go')
    await one.until(async () => (await one.workbench.approvals.open()).length === 1)
    await one.log(root)
    const second = await one.restart()
    made.push(second)
    return { second, root }
  }

  it('closes the questions of the whole tree', async () => {
    const { second, root } = await waitingChild()

    expect(await second.workbench.messaging.stopTree(root)).toBe(1)

    expect(await second.workbench.approvals.open()).toEqual([])
    await second.until(() => second.workbench.activations.under(root).length === 0)
    expect(await second.outcome((await onlyChild(second, root)).id)).toEqual({
      kind: 'cancelled',
      by: 'user',
    })
  })

  it('needs neither its folder nor its model', async () => {
    const { second, root } = await waitingChild()
    const { id } = await onlyChild(second, root)
    await rm(second.folder, { recursive: true })

    await second.workbench.messaging.interrupt(id)

    expect(await second.workbench.approvals.open()).toEqual([])
    expect(await second.outcome(id)).toEqual({ kind: 'cancelled', by: 'user' })
  })
})

describe('a session whose folder is gone', () => {
  it('takes no message and loses none; it can be named, and goes on once the folder is back', async () => {
    const one = await bench({ root: () => 'Hello.', child: () => '' })
    const root = await one.root()
    await one.prompt(root, 'First')
    await rm(one.folder, { recursive: true })

    await expect(one.send(root, 'Second')).rejects.toMatchObject({
      code: 'FOLDER_MISSING',
      message: expect.stringContaining(one.folder),
    })
    await one.workbench.actions.rename(root, 'Homeless')
    const second = await one.restart()
    made.push(second)
    await rm(one.folder, { recursive: true })
    await expect(second.send(root, 'Third')).rejects.toMatchObject({ code: 'FOLDER_MISSING' })
    await second.workbench.actions.rename(root, 'Still homeless')
    await mkdir(one.folder)
    await second.prompt(root, 'Fourth')

    const texts = eventsOf(await second.log(root), 'user/message').map(({ data }) => data.content)
    expect(JSON.stringify(texts)).toBe(
      JSON.stringify([[{ type: 'text', text: 'First' }], [{ type: 'text', text: 'Fourth' }]]),
    )
  })
})

describe('closing Espalier', () => {
  it('keeps the first of two questions of one step; both files are written after it is answered', async () => {
    const root: Play = ({ prompt }) =>
      prompt.at(-1)?.role === 'tool'
        ? 'Both written.'
        : {
            calls: ['a.txt', 'b.txt'].map(path => ({ name: 'write', input: { path, content: 'x' } })),
          }
    const one = await bench({ root, child: () => '' })
    const id = await one.root('ask')
    await one.send(id, 'Go')
    await one.until(async () => (await one.workbench.approvals.open()).length === 1)

    await one.workbench.close()
    const second = await one.restart()
    made.push(second)
    for (let answered = 0; answered < 2; answered += 1) {
      await second.until(async () => (await second.workbench.approvals.open()).length === 1)
      const [pending] = await second.workbench.approvals.open()
      await second.workbench.approvals.decide(id, pending!.approval.approvalId, {
        kind: 'allow',
        scope: 'once',
      })
      await second.until(async () => eventsOf(await second.log(id), 'tool/result').length === answered + 1)
    }
    await second.until(async () => (await second.outcome(id))?.kind === 'completed')

    expect(eventsOf(await second.log(id), 'tool/result').map(({ data }) => data.status)).toEqual(['ok', 'ok'])
    expect(eventsOf(await second.log(id), 'turn/end')).toHaveLength(1)
  })
})

describe('a damaged record', () => {
  it('costs its own questions and the name of what is above it, nothing else', async () => {
    let damaged: string | null = null
    const decorate = (store: Store): Store => ({
      ...store,
      checkpoints: {
        ...store.checkpoints,
        snapshot: (id, signal) =>
          id === damaged
            ? Promise.reject(new WorkbenchError('SESSION_DAMAGED', 'A hole.'))
            : store.checkpoints.snapshot(id, signal),
      },
    })
    const parts = {
      root: delegatesOnce({ background: true }),
      child: writes,
    }
    const one = await bench(parts, decorate)
    const [first, other] = [await one.root('ask'), await one.root('ask')]
    await one.send(first, 'Go')
    await one.send(other, 'Go')
    await one.until(async () => (await one.workbench.approvals.open()).length === 2)
    await one.workbench.live.flush()
    const second = await one.restart()
    made.push(second)
    damaged = (await onlyChild(second, first)).id
    expect(await second.workbench.approvals.open()).toHaveLength(1)

    damaged = other
    const open = await second.workbench.approvals.open()
    expect(open).toHaveLength(2)
    expect(open.map(({ label }) => label)).toEqual(['Audit the parser', 'Audit the parser'])
  })
})

describe('news of a child', () => {
  it('does not wake a parent that a person stopped', async () => {
    const one = await bench({
      root: ({ lastUserText, prompt }) =>
        lastUserText === 'Go' && prompt.at(-1)?.role === 'user'
          ? delegate({ mode: 'continuable' })
          : { text: 'Waiting', stall: true },
      child: ({ prompt }) =>
        prompt.at(-1)?.role === 'tool'
          ? 'Done.'
          : { delayMs: 150, calls: [{ name: 'report', input: { output: 'Half way.' } }] },
    })
    const root = await one.root()
    await one.send(root, 'Go')
    await one.until(() => one.workbench.activations.get(root)?.agent.liveMessage?.isEmpty === false)
    await one.workbench.messaging.interrupt(root)

    await one.until(async () => eventsOf(await one.log(root), 'subagent/settled').length === 1)

    expect(eventsOf(await one.log(root), 'subagent/report')).toHaveLength(1)
    expect(eventsOf(await one.log(root), 'turn/start')).toHaveLength(1)
    expect(one.workbench.activations.get(root)?.agent.queued).toBe(2)
  })
})

import { afterEach, describe, expect, it } from 'vitest'
import type { Frame } from '#shared/frames.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { delegatesOnce, eventsOf, onlyChild, openTestTree, type Play, writes } from '../tree-fixture.ts'
import type { TestWorkbench } from '../workbench-fixture.ts'

const made: TestWorkbench[] = []
afterEach(async () => {
  for (const bench of made.splice(0)) await bench.dispose()
})

async function bench(parts: { root: Play; child: Play }) {
  const opened = await openTestTree(parts)
  made.push(opened)
  return opened
}

const stalls: Play = () => ({ text: 'Busy', stall: true })

/** Kinds of the frames about sessions that a window gets from now on. */
function watch({ workbench }: TestWorkbench) {
  const told: Frame[] = []
  const ending = new AbortController()
  const follow = async () => {
    const batches = workbench.streams.subscribe('w', { open: [], listed: [] }, ending.signal)
    for await (const { batch, frames } of batches) {
      told.push(...frames)
      workbench.streams.acknowledge('w', batch)
    }
  }
  const followed = follow().catch(() => undefined)
  const end = async () => {
    ending.abort()
    await followed
  }
  return { told, end }
}

/** The root's own turn is over; what it delegated goes on. */
async function sendAndSettle(one: TestWorkbench, root: SessionId): Promise<void> {
  await one.send(root, 'Go')
  await one.until(async () => eventsOf(await one.log(root), 'turn/end').length === 1)
  await one.workbench.activations.get(root)?.agent.settled()
}

describe('throwing a tree away while work runs in it', () => {
  it('is refused with the names of what runs, and nothing is changed', async () => {
    const one = await bench({ root: delegatesOnce({ background: true }), child: stalls })
    const root = await one.root()
    await sendAndSettle(one, root)
    await one.until(() => one.workbench.activations.runningUnder(root) === 1)

    await expect(one.workbench.actions.trash(root)).rejects.toMatchObject({
      code: 'WORK_RUNNING',
      message: 'Audit the parser is running.',
    })

    expect(one.workbench.activations.runningUnder(root)).toBe(1)
    expect((await one.workbench.overview.list(false)).sessions).toHaveLength(1)
  })

  it('stops it when that was said, and brings back what was done so far', async () => {
    const one = await bench({ root: delegatesOnce({ background: true }), child: stalls })
    const root = await one.root()
    await sendAndSettle(one, root)
    await one.until(() => one.workbench.activations.runningUnder(root) === 1)
    const { id } = await onlyChild(one, root)

    expect(await one.workbench.actions.trash(root, true)).toBe(2)
    expect(one.workbench.live.list()).toEqual([])
    expect((await one.workbench.overview.list(false)).sessions).toEqual([])

    const second = await one.restart()
    made.push(second)
    expect(await second.workbench.actions.restore(root)).toBe(2)
    expect(await second.outcome(id)).toEqual({ kind: 'cancelled', by: 'parent' })
    expect(eventsOf(await second.log(root), 'turn/end')).toHaveLength(1)
    await second.prompt(root, 'Again')
    expect(await second.outcome(root)).toMatchObject({ kind: 'completed' })
  })
})

describe('throwing away what waits for a person', () => {
  it('asks nothing and keeps the question, which is open again when the tree comes back', async () => {
    const one = await bench({ root: delegatesOnce({ mode: 'continuable' }), child: writes })
    const root = await one.root('ask')
    await sendAndSettle(one, root)
    await one.until(async () => (await one.workbench.approvals.open()).length === 1)
    const { id } = await onlyChild(one, root)
    const window = watch(one)

    expect(await one.workbench.actions.trash(root)).toBe(2)
    expect(await one.workbench.approvals.open()).toEqual([])
    expect(one.workbench.rollups.of(root)).toEqual({ running: 0, waiting: 0 })
    await expect(one.send(root, 'Hello?')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    await one.until(() => window.told.some(frame => frame.kind === 'removed' && frame.sessionId === root))

    expect(await one.workbench.actions.restore(root)).toBe(2)
    await one.until(() => window.told.some(frame => frame.kind === 'added' && frame.header.id === root))
    await window.end()
    expect(one.workbench.rollups.of(root)).toEqual({ running: 0, waiting: 1 })
    const [pending] = await one.workbench.approvals.open()
    expect(pending).toMatchObject({ sessionId: id, rootId: root })
    await one.workbench.approvals.decide(id, pending!.approval.approvalId, { kind: 'allow', scope: 'once' })
    await one.until(async () => (await one.outcome(id))?.kind === 'completed')
  })

  it('keeps the question over a restart in the trash', async () => {
    const one = await bench({ root: delegatesOnce({ mode: 'continuable' }), child: writes })
    const root = await one.root('ask')
    await sendAndSettle(one, root)
    await one.until(async () => (await one.workbench.approvals.open()).length === 1)
    await one.workbench.actions.trash(root)

    const second = await one.restart()
    made.push(second)
    expect(await second.workbench.approvals.open()).toEqual([])
    await second.workbench.actions.restore(root)

    expect(await second.workbench.approvals.open()).toHaveLength(1)
  })
})

describe('putting a tree aside', () => {
  it('archives the children with it and stops nothing', async () => {
    const one = await bench({ root: delegatesOnce({ background: true }), child: stalls })
    const root = await one.root()
    await sendAndSettle(one, root)
    await one.until(() => one.workbench.activations.runningUnder(root) === 1)
    const { id } = await onlyChild(one, root)

    expect(await one.workbench.actions.archive(root, true)).toBe(2)

    expect((await one.workbench.overview.list(true)).sessions.map(({ header }) => header.id)).toEqual([root])
    expect(await one.workbench.overview.get(id)).toMatchObject({ archived: true, activity: 'running' })
    expect(await one.workbench.actions.archive(root, false)).toBe(2)
    expect((await one.workbench.overview.list(false)).sessions).toHaveLength(1)
  })

  it('leaves a fork alone, which keeps working when its source is deleted for good', async () => {
    const one = await bench({ root: () => 'Hello.', child: () => '' })
    const root = await one.root()
    await one.prompt(root, 'First')
    const fork = await one.workbench.actions.fork(root)

    expect(await one.workbench.actions.trash(root)).toBe(1)
    expect(await one.workbench.store.persistence.purge(root)).toBe(1)
    const second = await one.restart()
    made.push(second)
    await second.prompt(fork, 'Second')

    const said = eventsOf(await second.log(fork), 'user/message').map(({ data }) => data.content[0])
    expect(said).toEqual([
      { type: 'text', text: 'First' },
      { type: 'text', text: 'Second' },
    ])
  })
})

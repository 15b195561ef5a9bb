import { afterEach, describe, expect, it } from 'vitest'
import type { ApprovalMode } from '#shared/session/approval-mode.ts'
import type { ApprovalDecision } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { delegatesOnce, eventsOf, onlyChild, openTestTree, type Play, writes } from '../tree-fixture.ts'
import type { TestWorkbench } from '../workbench-fixture.ts'

const made: TestWorkbench[] = []
afterEach(async () => {
  for (const bench of made.splice(0)) await bench.dispose()
})

async function bench(root: Play, child: Play = () => '') {
  const one = await openTestTree({ root, child })
  made.push(one)
  return one
}

const runs: Play = ({ prompt }) =>
  prompt.at(-1)?.role === 'tool' ? 'Ran.' : { calls: [{ name: 'shell', input: { command: 'echo hi' } }] }

async function answer(one: TestWorkbench, decision: ApprovalDecision): Promise<void> {
  await one.until(async () => (await one.workbench.approvals.open()).length === 1)
  const [pending] = await one.workbench.approvals.open()
  if (pending === undefined) throw new Error('nothing was asked')
  await one.workbench.approvals.decide(pending.sessionId, pending.approval.approvalId, decision)
}

/** Whether a new root in `cwd` asks before it runs the same command. */
async function asks(one: TestWorkbench, cwd: string): Promise<boolean> {
  const route = { provider: 'rehearsal', model: 'rehearsal' }
  const id = await one.workbench.actions.create({ cwd, route, approvalMode: 'ask' })
  await one.send(id, 'Go')
  const open = async () => (await one.workbench.approvals.open()).some(({ sessionId }) => sessionId === id)
  const isDone = async () => (await one.outcome(id))?.kind === 'completed'
  await one.until(async () => (await open()) || (await isDone()))
  return open()
}

async function restarted(one: TestWorkbench): Promise<TestWorkbench> {
  await one.workbench.live.flush()
  const again = await one.restart()
  made.push(again)
  return again
}

describe('a yes', () => {
  const cases: [scope: 'once' | 'session' | 'workspace' | 'always', here: boolean, elsewhere: boolean][] = [
    ['once', true, true],
    ['session', true, true],
    ['workspace', false, true],
    ['always', false, false],
  ]
  it.each(cases)(
    'with the scope "%s": later sessions here ask %s, elsewhere %s, also after a restart',
    async (scope, here, elsewhere) => {
      const one = await bench(runs)
      const first = await one.root('ask')
      await one.send(first, 'Go')
      await answer(one, { kind: 'allow', scope })
      await one.until(async () => (await one.outcome(first))?.kind === 'completed')

      const again = await restarted(one)

      expect([await asks(again, again.folder), await asks(again, again.dataFolder)]).toEqual([
        here,
        elsewhere,
      ])
    },
  )
})

describe('the permissions of a session', () => {
  async function firstResult(one: TestWorkbench, id: SessionId) {
    await one.until(async () => eventsOf(await one.log(id), 'tool/result').length === 1)
    return eventsOf(await one.log(id), 'tool/result')[0]?.data
  }

  it('that is read-only refuse a write at once, and tell the model why', async () => {
    const one = await bench(writes)
    const id = await one.root('read-only')
    await one.send(id, 'Write')

    expect(await firstResult(one, id)).toMatchObject({ status: 'error', code: 'DENIED' })
    expect(JSON.stringify(await firstResult(one, id))).toContain('read-only')
    expect(eventsOf(await one.log(id), 'approval/asked')).toEqual([])
  })

  it('can be changed for a root while it is there, and hold from its next call on', async () => {
    const one = await bench(runs)
    const id = await one.root('ask')
    await one.workbench.actions.setApprovalMode(id, 'workspace')
    await one.prompt(id, 'Go')
    expect(await firstResult(one, id)).toMatchObject({ status: 'ok' })

    const again = await restarted(one)
    await again.workbench.actions.setApprovalMode(id, 'read-only')
    await again.prompt(id, 'Go again')

    expect(eventsOf(await again.log(id), 'tool/result').at(-1)?.data).toMatchObject({ code: 'DENIED' })
  })

  it.each(['read-only', 'ask', 'accept-edits', 'workspace', 'unattended'] satisfies ApprovalMode[])(
    'pass to a child as they are (%s), and stay when those of its root change',
    async mode => {
      const one = await bench(delegatesOnce({ mode: 'continuable' }), () => 'Done.')
      const root = await one.root(mode)
      await one.prompt(root, 'Go')
      await one.workbench.actions.setApprovalMode(root, 'ask')
      const { id } = await onlyChild(one, root)

      expect(eventsOf(await one.log(id), 'approval/policy').map(({ data }) => data.mode)).toEqual([mode])
      await expect(one.workbench.actions.setApprovalMode(id, 'unattended')).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      })
    },
  )
})

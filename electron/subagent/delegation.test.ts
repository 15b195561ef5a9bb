import { afterEach, describe, expect, it } from 'vitest'
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

async function bench(parts: { root: Play; child: Play }) {
  const opened = await openTestTree(parts)
  made.push(opened)
  return opened
}

describe('delegation', () => {
  it('returns the final text of a foreground one-shot child as the result', async () => {
    const one = await bench({ root: delegatesOnce({}), child: () => 'No faults found.' })
    const root = await one.root()

    await one.prompt(root, 'Go')

    const [result] = eventsOf(await one.log(root), 'tool/result')
    expect(result?.data).toMatchObject({
      status: 'ok',
      content: [{ type: 'text', text: 'No faults found.' }],
    })
    expect(await onlyChild(one, root)).toMatchObject({
      kind: 'child',
      mode: 'one-shot',
      label: 'Audit the parser',
      activity: 'inactive',
      facts: { outcome: { kind: 'completed' } },
    })
  })

  it('tells the parent of a background child once, and the parent takes a turn for it', async () => {
    const one = await bench({ root: delegatesOnce({ mode: 'continuable' }), child: () => 'All good.' })
    const root = await one.root()

    await one.prompt(root, 'Go')
    await one.until(async () => eventsOf(await one.log(root), 'subagent/settled').length > 0)
    await one.until(() => one.workbench.activations.get(root)?.agent.isRunning === false)

    const log = await one.log(root)
    expect(eventsOf(log, 'subagent/settled')).toHaveLength(1)
    expect(eventsOf(log, 'turn/end').map(event => event.data)).toMatchObject([
      { turn: 1, reason: { kind: 'completed' } },
      { turn: 2, reason: { kind: 'completed' } },
    ])
    expect(await one.outcome(root)).toEqual({ kind: 'completed' })
  })

  it('writes identity, policy, route and first message with the creation of the child', async () => {
    const one = await bench({ root: delegatesOnce({ mode: 'continuable' }), child: () => 'Done.' })
    const root = await one.root('ask')

    await one.prompt(root, 'Go')

    const child = await onlyChild(one, root)
    const log = await one.log(child.id)
    expect(log.slice(0, 4).map(({ type }) => type)).toEqual([
      'subagent/descriptor',
      'approval/policy',
      'model/changed',
      'inbox/queued',
    ])
    expect(log[0]?.data).toEqual({
      version: 2,
      mode: 'continuable',
      provider: 'spawn',
      label: 'Audit the parser',
      agentProvider: 'rehearsal',
      agentModel: 'rehearsal',
    })
  })

  it('gives a fork the finished turns of its parent, marked as inherited', async () => {
    const one = await bench({
      root: ({ lastUserText, prompt }) =>
        lastUserText === 'Go' && prompt.at(-1)?.role === 'user' ? delegate({ context: 'inherit' }) : 'Noted.',
      child: () => 'I remember.',
    })
    const root = await one.root()
    await one.prompt(root, 'Remember the word larch.')

    await one.prompt(root, 'Go')

    const child = await onlyChild(one, root)
    const { header } = (await one.workbench.store.persistence.get(child.id)) ?? {}
    expect(header?.seedLength).toBeGreaterThan(0)
    const asked = one.model.requests.find(({ system }) => system.includes('delegated'))
    expect(JSON.stringify(asked?.prompt)).toContain('larch')
    expect(child).toMatchObject({ kind: 'child', mode: 'one-shot' })
  })

  it('refuses a child below the depth limit with a result that says so', async () => {
    const one = await bench({ root: delegatesOnce({}), child: delegatesOnce({ description: 'Deeper' }) })
    one.workbench.settings.update({ limits: { ...one.workbench.settings.get().limits, depth: 1 } })
    const root = await one.root()

    await one.prompt(root, 'Go')

    const child = await onlyChild(one, root)
    const [result] = eventsOf(await one.log(child.id), 'tool/result')
    expect(JSON.stringify(result?.data)).toContain('nested 1 deep')
  })
})

describe('resume of a continuable child', () => {
  it('brings it back from its own record after a restart, with the whole conversation', async () => {
    const first = await bench({
      root: delegatesOnce({ mode: 'continuable' }),
      child: () => 'The word is larch.',
    })
    const root = await first.root()
    await first.prompt(root, 'Go')
    const { id } = await onlyChild(first, root)
    const second = await first.restart()
    made.push(second)

    await second.prompt(id, 'Which word?')

    const request = second.model.requests.findLast(({ lastUserText }) => lastUserText === 'Which word?')
    expect(JSON.stringify(request?.prompt)).toContain('The word is larch.')
    expect(request?.system).toContain('You are a delegated agent.')
    expect(eventsOf(await second.log(id), 'subagent/descriptor')).toHaveLength(1)
    expect(await onlyChild(second, root)).toMatchObject({ activity: 'inactive', label: 'Audit the parser' })
  })

  it('keeps the tools that the child was given, whatever the parent has', async () => {
    const one = await bench({
      root: delegatesOnce({ mode: 'continuable', agent: 'explorer' }),
      child: () => 'Seen.',
    })
    const root = await one.root()
    await one.prompt(root, 'Go')
    const { id } = await onlyChild(one, root)
    const second = await one.restart()
    made.push(second)

    await second.prompt(id, 'Again')

    const tools = second.model.requests.findLast(({ lastUserText }) => lastUserText === 'Again')?.tools
    expect(tools?.toSorted()).toEqual(['glob', 'grep', 'read', 'report', 'todo'])
  })

  it('makes one activation however often it is asked at once', async () => {
    const one = await bench({ root: delegatesOnce({ mode: 'continuable' }), child: () => 'Here.' })
    const root = await one.root()
    await one.prompt(root, 'Go')
    const { id } = await onlyChild(one, root)
    await one.until(() => one.workbench.activations.get(id) === undefined)

    await Promise.all([one.send(id, 'A'), one.send(id, 'B'), one.send(id, 'C')])
    await one.until(() => one.workbench.activations.get(id) === undefined)

    const log = await one.log(id)
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index))
    const messages = eventsOf(log, 'user/message').map(event => JSON.stringify(event.data))
    expect(messages.filter(text => /"text":"[ABC]"/.test(text))).toHaveLength(3)
  })

  it('refuses a one-shot child with the reason, and changes nothing', async () => {
    const one = await bench({ root: delegatesOnce({}), child: () => 'Once.' })
    const root = await one.root()
    await one.prompt(root, 'Go')
    const { id } = await onlyChild(one, root)
    const before = await one.log(id)

    await expect(one.send(id, 'More')).rejects.toMatchObject({ code: 'NOT_RESUMABLE' })

    expect(await one.log(id)).toEqual(before)
  })

  it('tells a parent that was away what its child did meanwhile, when it comes back', async () => {
    const one = await bench({ root: delegatesOnce({ mode: 'continuable' }), child: () => 'First.' })
    const root = await one.root()
    await one.prompt(root, 'Go')
    const { id } = await onlyChild(one, root)
    await one.until(async () => eventsOf(await one.log(root), 'subagent/settled').length === 1)
    const second = await one.restart()
    made.push(second)
    await second.prompt(id, 'Work on your own')
    expect(eventsOf(await second.log(root), 'subagent/settled')).toHaveLength(1)

    await second.prompt(root, 'Anything new?')
    await second.until(async () => eventsOf(await second.log(root), 'subagent/settled').length === 2)

    expect(eventsOf(await second.log(root), 'subagent/settled')).toHaveLength(2)
  })
})

describe('a child that nobody hosts any more', () => {
  it('is interrupted after a restart in mid-turn, and its log stays as it was until it is resumed', async () => {
    const one = await bench({
      root: delegatesOnce({ mode: 'continuable' }),
      child: ({ lastUserText }) =>
        lastUserText === 'Go on' ? 'Went on.' : { text: 'Thinking', stall: true },
    })
    const root = await one.root()
    await one.send(root, 'Go')
    await one.until(() => one.workbench.activations.list().length === 2)
    const { id } = await onlyChild(one, root)
    await one.until(async () => (await one.log(id)).some(({ type }) => type === 'step/start'))
    const before = await one.log(id)
    const second = await one.restart()
    made.push(second)

    expect(await onlyChild(second, root)).toMatchObject({
      activity: 'inactive',
      facts: { outcome: { kind: 'interrupted' } },
    })
    expect(await second.log(id)).toEqual(before)

    const shown = await second.workbench.history.page(id, { limit: 100 })
    expect(shown.events.at(-1)).toMatchObject({ type: 'turn/end', data: { reason: { kind: 'interrupted' } } })

    await second.prompt(id, 'Go on')
    const log = await second.log(id)
    expect(log.slice(0, shown.events.length)).toEqual(shown.events)
    expect(eventsOf(log, 'turn/end').map(event => event.data)).toMatchObject([
      { reason: { kind: 'interrupted' } },
      { reason: { kind: 'completed' } },
    ])
  })
})

describe('a root that nobody hosts any more', () => {
  it('is listed with its title as interrupted, although it was killed before its first checkpoint', async () => {
    const one = await bench({ root: () => ({ text: 'Thinking', stall: true }), child: () => '' })
    const root = await one.root()
    await one.send(root, 'Sort the books')
    await one.until(async () => (await one.log(root)).some(({ type }) => type === 'step/start'))
    const second = await one.restart()
    made.push(second)

    const { sessions } = await second.workbench.overview.list(false)

    expect(sessions).toMatchObject([{ title: 'Sort the books', facts: { outcome: { kind: 'interrupted' } } }])
  })

  it('is listed as interrupted when it was killed in a later turn than its checkpoint knows', async () => {
    const one = await bench({
      root: ({ lastUserText }) => (lastUserText === 'First' ? 'Done.' : { text: 'Thinking', stall: true }),
      child: () => '',
    })
    const root = await one.root()
    await one.prompt(root, 'First')
    await new Promise(resolve => setTimeout(resolve, 100))
    await one.send(root, 'Second')
    await one.until(
      async () => (await one.log(root)).filter(({ type }) => type === 'step/start').length === 2,
    )
    const second = await one.restart()
    made.push(second)

    const { sessions } = await second.workbench.overview.list(false)

    expect(sessions).toMatchObject([{ facts: { outcome: { kind: 'interrupted' } } }])
  })
})

describe('stopping', () => {
  it('ends a turn and everything under it, and each log says by whom', async () => {
    const one = await bench({
      root: delegatesOnce({ mode: 'continuable' }),
      child: () => ({ text: 'Busy', stall: true }),
    })
    const root = await one.root()
    await one.send(root, 'Go')
    await one.until(() => one.workbench.activations.runningUnder(root) === 1)
    const { id } = await onlyChild(one, root)
    await one.until(() => one.workbench.activations.get(id)?.agent.liveMessage?.isEmpty === false)

    await one.workbench.messaging.stopTree(root)
    await one.until(() => one.workbench.activations.get(id) === undefined)

    expect(await onlyChild(one, root)).toMatchObject({
      facts: { outcome: { kind: 'cancelled', by: 'parent' } },
    })
    const [message] = eventsOf(await one.log(id), 'assistant/message')
    expect(message?.data).toMatchObject({ interrupted: true, content: [{ type: 'text', text: 'Busy' }] })
  })
})

describe('approvals', () => {
  it("puts a child's question to the person, named, and goes on when it is answered", async () => {
    const one = await bench({ root: delegatesOnce({}), child: writes })
    const root = await one.root('ask')
    await one.send(root, 'Go')
    await one.until(async () => (await one.workbench.approvals.open()).length === 1)

    const [pending] = await one.workbench.approvals.open()
    expect(pending).toMatchObject({ rootId: root, label: 'Audit the parser', approval: { name: 'write' } })
    expect(one.workbench.rollups.of(root)).toEqual({ running: 0, waiting: 1 })
    await one.workbench.approvals.decide(pending!.sessionId, pending!.approval.approvalId, {
      kind: 'allow',
      scope: 'once',
    })
    await one.until(() => one.workbench.activations.get(root)?.agent.isRunning === false)

    const log = await one.log(pending!.sessionId)
    expect(eventsOf(log, 'tool/result')[0]?.data).toMatchObject({ status: 'ok' })
    expect(await one.workbench.approvals.open()).toEqual([])
  })

  it('keeps an open question over a restart; deciding it resumes the child at that call', async () => {
    const one = await bench({ root: delegatesOnce({ mode: 'continuable' }), child: writes })
    const root = await one.root('ask')
    await one.send(root, 'Go')
    await one.until(async () => (await one.workbench.approvals.open()).length === 1)
    await one.log(root)
    const second = await one.restart()
    made.push(second)
    const [pending] = await second.workbench.approvals.open()
    expect(await onlyChild(second, root)).toMatchObject({
      facts: { outcome: { kind: 'waiting', on: 'approval' }, openApprovals: 1 },
    })

    await second.workbench.approvals.decide(pending!.sessionId, pending!.approval.approvalId, {
      kind: 'deny',
      reason: 'not there',
    })
    await second.until(() => second.workbench.activations.get(pending!.sessionId) === undefined)

    const log = await second.log(pending!.sessionId)
    expect(eventsOf(log, 'tool/result')[0]?.data).toMatchObject({ code: 'DENIED' })
    expect(eventsOf(log, 'approval/asked')).toHaveLength(1)
    expect(await second.outcome(pending!.sessionId)).toEqual({ kind: 'completed' })
  })

  it('keeps an open question when Espalier is closed in an orderly way', async () => {
    const one = await bench({ root: delegatesOnce({ mode: 'continuable' }), child: writes })
    const root = await one.root('ask')
    await one.send(root, 'Go')
    await one.until(async () => (await one.workbench.approvals.open()).length === 1)

    await one.workbench.close()
    const second = await one.restart()
    made.push(second)

    expect(await second.workbench.approvals.open()).toHaveLength(1)
    expect(await onlyChild(second, root)).toMatchObject({
      facts: { outcome: { kind: 'waiting', on: 'approval' } },
    })
  })

  it('closes although a parent waits for a child that waits for an answer, and tells it later', async () => {
    const one = await bench({ root: delegatesOnce({}), child: writes })
    const root = await one.root('ask')
    await one.send(root, 'Go')
    await one.until(async () => (await one.workbench.approvals.open()).length === 1)

    await one.workbench.close()
    const second = await one.restart()
    made.push(second)

    expect(await second.outcome(root)).toEqual({ kind: 'cancelled', by: 'disposed' })
    const [pending] = await second.workbench.approvals.open()
    expect(eventsOf(await second.log(root), 'tool/result')[0]?.data.code).toBe('TOOL_OUTCOME_UNKNOWN')

    const { sessionId, approval } = pending!
    await second.workbench.approvals.decide(sessionId, approval.approvalId, { kind: 'allow', scope: 'once' })
    await second.until(() => second.workbench.activations.get(sessionId) === undefined)
    await second.send(root, 'And?')
    await second.until(async () => eventsOf(await second.log(root), 'subagent/settled').length > 0)

    expect(eventsOf(await second.log(root), 'subagent/settled')).toMatchObject([
      { data: { childId: sessionId, outcome: 'completed', text: 'Written.' } },
    ])
  })

  it('answers every open question that a grant for the session covers', async () => {
    const one = await bench({
      root: ({ prompt }) =>
        prompt.some(message => message.role === 'tool')
          ? 'Both done.'
          : {
              calls: [
                ...(delegate({ description: 'One' }).calls ?? []),
                ...(delegate({ description: 'Two' }).calls ?? []),
              ],
            },
      child: writes,
    })
    const root = await one.root('ask')
    await one.send(root, 'Go')
    await one.until(async () => (await one.workbench.approvals.open()).length === 2)
    const [first] = await one.workbench.approvals.open()

    await one.workbench.approvals.decide(first!.sessionId, first!.approval.approvalId, {
      kind: 'allow',
      scope: 'session',
    })
    await one.until(() => one.workbench.activations.get(root)?.agent.isRunning === false)

    expect(await one.outcome(root)).toEqual({ kind: 'completed' })
    expect(await one.workbench.approvals.open()).toEqual([])
  })
})

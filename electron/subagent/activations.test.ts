import { dirname } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { SessionId } from '#shared/session/ids.ts'
import { createScriptedModel, type ScriptedRequest } from '../model/scripted-model.ts'
import { openStore, type Store } from '../store/store-client.ts'
import {
  delegate,
  delegatesOnce,
  eventsOf,
  isChild,
  onlyChild,
  openTestTree,
  type Play,
  writes,
} from '../tree-fixture.ts'
import { openTestWorkbench, type TestWorkbench } from '../workbench-fixture.ts'

const made: TestWorkbench[] = []
afterEach(async () => {
  for (const bench of made.splice(0)) await bench.dispose()
})

async function bench(parts: { root: Play; child: Play }) {
  const opened = await openTestTree(parts)
  made.push(opened)
  return opened
}

async function again(one: TestWorkbench) {
  await one.workbench.live.flush()
  const opened = await one.restart()
  made.push(opened)
  return opened
}

const isGone = (one: TestWorkbench, id: SessionId) => one.workbench.activations.get(id) === undefined

const firstQuestion = async (one: TestWorkbench) => {
  await one.until(async () => (await one.workbench.approvals.open()).length === 1)
  const [pending] = await one.workbench.approvals.open()
  return pending!
}

const allow = { kind: 'allow', scope: 'once' } as const

describe('a child that is looked after while it is cold', () => {
  it('is let go again after a message of it was taken back, and its parent hears nothing', async () => {
    const one = await bench({
      root: delegatesOnce({ mode: 'continuable' }),
      child: () => ({ text: 'Busy', stall: true }),
    })
    const root = await one.root()
    await one.send(root, 'Go')
    await one.until(() => one.workbench.activations.runningUnder(root) === 1)
    const { id } = await onlyChild(one, root)
    const messageId = await one.send(id, 'Later')
    await one.workbench.messaging.interrupt(id)
    await one.until(async () => eventsOf(await one.log(root), 'subagent/settled').length === 1)
    const before = (await one.log(root)).length

    await one.workbench.messaging.unqueue(id, messageId)
    await one.until(() => isGone(one, id))

    expect(eventsOf(await one.log(id), 'inbox/cancelled')).toHaveLength(1)
    expect(await one.log(root)).toHaveLength(before)
  })

  it('stays cold when it is told to stop what it does not do', async () => {
    const one = await bench({ root: delegatesOnce({ mode: 'continuable' }), child: () => 'Done.' })
    const root = await one.root()
    await one.prompt(root, 'Go')
    const { id } = await onlyChild(one, root)
    await one.until(() => isGone(one, id))
    const before = await one.log(id)

    await one.workbench.messaging.interrupt(id)
    expect(await one.workbench.messaging.stopTree(id)).toBe(0)

    expect(isGone(one, id)).toBe(true)
    expect(await one.log(id)).toEqual(before)
  })

  it('is let go again after a decision that came too late, and its parent hears nothing', async () => {
    const one = await bench({ root: delegatesOnce({}), child: writes })
    const root = await one.root('ask')
    await one.send(root, 'Go')
    const { sessionId, approval } = await firstQuestion(one)
    const decide = () => one.workbench.approvals.decide(sessionId, approval.approvalId, allow)
    await decide()
    await one.until(() => isGone(one, sessionId))
    await one.until(() => one.workbench.activations.get(root)?.agent.isRunning === false)
    const before = (await one.log(root)).length

    await expect(decide()).rejects.toMatchObject({ code: 'APPROVAL_NOT_OPEN' })
    await one.until(() => isGone(one, sessionId))

    expect(await one.log(root)).toHaveLength(before)
  })

  it('takes one of two decisions at once', async () => {
    const one = await bench({ root: delegatesOnce({}), child: writes })
    const root = await one.root('ask')
    await one.send(root, 'Go')
    const { sessionId, approval } = await firstQuestion(one)
    const second = await again(one)

    const answers = await Promise.allSettled([
      second.workbench.approvals.decide(sessionId, approval.approvalId, allow),
      second.workbench.approvals.decide(sessionId, approval.approvalId, { kind: 'deny' }),
    ])
    await second.until(() => isGone(second, sessionId))

    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(eventsOf(await second.log(sessionId), 'approval/decided')).toHaveLength(1)
    expect(eventsOf(await second.log(sessionId), 'tool/result')).toMatchObject([{ data: { status: 'ok' } }])
  })

  it('takes no message as a one-shot, not even while it comes back for a decision', async () => {
    const one = await bench({ root: delegatesOnce({}), child: writes })
    const root = await one.root('ask')
    await one.send(root, 'Go')
    const { sessionId, approval } = await firstQuestion(one)
    const second = await again(one)

    const [decided, sent] = await Promise.allSettled([
      second.workbench.approvals.decide(sessionId, approval.approvalId, allow),
      second.send(sessionId, 'And more'),
    ])

    expect(decided).toMatchObject({ status: 'fulfilled' })
    expect(sent).toMatchObject({ status: 'rejected', reason: { code: 'NOT_RESUMABLE' } })
  })
})

describe('a message to a child that is just being let go', () => {
  it('is answered, whenever it comes', async () => {
    const one = await bench({
      root: delegatesOnce({ mode: 'continuable' }),
      child: ({ lastUserText }) => `Answer to ${lastUserText}`,
    })
    const root = await one.root()
    await one.prompt(root, 'Go')
    const { id } = await onlyChild(one, root)
    await one.until(() => isGone(one, id))
    const sent: Promise<string>[] = []
    let ends = 0
    const late = async (ticks: number) => {
      for (let tick = 0; tick < ticks; tick += 1) await null
      return one.send(id, `late ${ticks}`)
    }
    const stop = one.workbench.live.onEvent((session, { type }) => {
      if (session.id === id && type === 'turn/end' && ends++ < 24) sent.push(late(ends))
    })

    await one.send(id, 'first')
    await one.until(() => sent.length === 24)
    await Promise.all(sent)
    await one.until(() => isGone(one, id))
    stop()

    const said = eventsOf(await one.log(id), 'assistant/message').map(({ data }) =>
      JSON.stringify(data.content),
    )
    for (let late = 1; late <= 24; late += 1)
      expect(said.filter(text => text.includes(`"Answer to late ${late}"`))).toHaveLength(1)
    expect(await one.outcome(id)).toEqual({ kind: 'completed' })
  })
})

describe('the end of a child is told once', () => {
  it('as the result of the call, though a person spoke to it meanwhile', async () => {
    const one = await bench({
      root: delegatesOnce({ mode: 'continuable', background: false }),
      child: ({ lastUserText }) => ({ delayMs: 100, text: `Done: ${lastUserText}` }),
    })
    const root = await one.root()
    await one.send(root, 'Go')
    await one.until(() => one.workbench.activations.runningUnder(root) === 1)
    const { id } = await onlyChild(one, root)

    await one.send(id, 'One more thing')
    await one.until(() => isGone(one, id))
    await one.until(() => one.workbench.activations.get(root)?.agent.isRunning === false)

    const log = await one.log(root)
    expect(JSON.stringify(eventsOf(log, 'tool/result')[0]?.data)).toContain('Done: One more thing')
    expect(eventsOf(log, 'subagent/settled')).toEqual([])
    expect(eventsOf(log, 'turn/end')).toHaveLength(1)
  })

  it('as the result of the call, and not again when the parent comes back', async () => {
    const one = await bench({
      root: delegatesOnce({ mode: 'continuable', background: false }),
      child: () => 'Done.',
    })
    const root = await one.root()
    await one.prompt(root, 'Go')
    const second = await again(one)

    await second.prompt(root, 'Anything new?')
    await new Promise(resolve => setTimeout(resolve, 100))

    expect(eventsOf(await second.log(root), 'subagent/settled')).toEqual([])
    expect(eventsOf(await second.log(root), 'user/message')).toHaveLength(2)
  })

  it.each(['continuable', 'one-shot'])(
    'by a notice when the parent was killed before it could log the result (%s)',
    async mode => {
      const foreground = { mode, background: false }
      const one = await bench({
        root: ({ prompt, lastUserText }) =>
          prompt.some(({ role }) => role === 'tool') || lastUserText !== 'Go'
            ? 'I see.'
            : {
                calls: [
                  ...delegate({ ...foreground, prompt: 'Take your time.' }).calls!,
                  ...delegate({ ...foreground, prompt: 'Be quick.' }).calls!,
                ],
              },
        child: ({ lastUserText }) =>
          lastUserText === 'Be quick.' ? 'Quickly done.' : { text: 'Slow', stall: true },
      })
      const root = await one.root()
      await one.send(root, 'Go')
      await one.until(() => one.model.requests.length === 3)
      await one.until(() => one.workbench.activations.list().length === 2)
      expect(eventsOf(await one.log(root), 'tool/result')).toEqual([])
      const second = await again(one)

      await second.prompt(root, 'Where were we?')
      await second.until(async () => eventsOf(await second.log(root), 'subagent/settled').length === 2)

      const told = eventsOf(await second.log(root), 'subagent/settled').map(({ data }) => data.outcome)
      expect(told.toSorted()).toEqual(['completed', 'interrupted'])
      const third = await again(second)
      await third.prompt(root, 'Anything new?')
      expect(eventsOf(await third.log(root), 'subagent/settled')).toHaveLength(2)
    },
  )

  it('to a child that comes back for a turn which is shorter than finding out', async () => {
    const slowly = async (store: Store): Promise<Store> => {
      const read: Store['checkpoints']['read'] = async (...asked) => {
        await new Promise(resolve => setTimeout(resolve, 150))
        return store.checkpoints.read(...asked)
      }
      return { ...store, checkpoints: { ...store.checkpoints, read } }
    }
    const parts = {
      root: delegatesOnce({ mode: 'continuable', background: false, prompt: 'Hand it on.' }),
      child: ((request: ScriptedRequest) =>
        request.lastUserText === 'Hand it on.'
          ? delegatesOnce({ mode: 'continuable', background: false, prompt: 'Do it.' })(request)
          : `Answer to ${request.lastUserText}`) satisfies Play,
    }
    const one = await bench(parts)
    const root = await one.root()
    await one.prompt(root, 'Go')
    const child = await onlyChild(one, root)
    const grandchild = await onlyChild(one, child.id)
    await one.workbench.close()
    const second = await openTestTree(parts, {
      at: dirname(one.dataFolder),
      openStore: async options => slowly(await openStore(options)),
    })
    made.push(second)
    await second.send(grandchild.id, 'And that?')
    await second.until(() => isGone(second, grandchild.id))

    await second.send(child.id, 'Are you there?')
    await second.until(() => isGone(second, child.id))

    expect(eventsOf(await second.log(child.id), 'subagent/settled')).toMatchObject([
      { data: { childId: grandchild.id, text: 'Answer to And that?' } },
    ])
  })

  it('by a notice when it was killed between its announcement and its first event', async () => {
    const one = await openTestTree(
      { root: delegatesOnce({ background: true }), child: () => 'Never said.' },
      { openStore: async options => neverCreates(await openStore(options)) },
    )
    made.push(one)
    const root = await one.root()
    await one.send(root, 'Go')
    await one.until(async () => eventsOf(await one.log(root), 'tool/call').length === 1)
    const second = await openTestTree(
      { root: () => 'I see.', child: () => '' },
      { at: dirname(one.dataFolder) },
    )
    made.push(second)
    await second.prompt(root, 'Well?')
    await second.until(async () => eventsOf(await second.log(root), 'subagent/settled').length > 0)

    expect(eventsOf(await second.log(root), 'subagent/settled')).toMatchObject([
      { data: { outcome: 'stopped' } },
    ])
  })

  it('by its own end, though it was started while its parent, just back, looked for what it missed', async () => {
    const slowly = async (store: Store): Promise<Store> => {
      const list: Store['persistence']['list'] = async (filter, signal) => {
        const listing = await store.persistence.list(filter, signal)
        if (filter.kind === 'children') await new Promise(resolve => setTimeout(resolve, 200))
        return listing
      }
      return { ...store, persistence: { ...store.persistence, list } }
    }
    const parts = {
      root: delegatesOnce({ background: true }),
      child: (() => ({ delayMs: 500, text: 'Done.' })) satisfies Play,
    }
    const one = await bench({ ...parts, root: () => 'Hello.' })
    const root = await one.root()
    await one.prompt(root, 'Hi')
    await one.workbench.close()
    const second = await openTestTree(parts, {
      at: dirname(one.dataFolder),
      openStore: async options => slowly(await openStore(options)),
    })
    made.push(second)

    await second.send(root, 'Go')
    await second.until(async () => eventsOf(await second.log(root), 'subagent/settled').length > 0)

    expect(eventsOf(await second.log(root), 'subagent/settled')).toMatchObject([
      { data: { outcome: 'completed' } },
    ])
  })

  it('although the turn of the parent failed meanwhile: the notice waits for a person', async () => {
    const one = await bench({
      root: ({ prompt, lastUserText }) => {
        if (lastUserText === 'Well?') return 'I see.'
        return prompt.some(({ role }) => role === 'tool')
          ? { fail: new Error('broken') }
          : delegate({ mode: 'continuable' })
      },
      child: () => ({ delayMs: 150, text: 'Done.' }),
    })
    const root = await one.root()
    await one.prompt(root, 'Go')
    await one.until(async () => eventsOf(await one.log(root), 'subagent/settled').length === 1)
    expect(await one.outcome(root)).toMatchObject({ kind: 'failed' })

    await one.prompt(root, 'Well?')

    const log = await one.log(root)
    expect(eventsOf(log, 'subagent/settled')).toHaveLength(1)
    expect(eventsOf(log, 'user/message').map(({ data }) => data.source.kind)).toEqual([
      'person',
      'settlement',
      'person',
    ])
    expect(eventsOf(log, 'turn/end').map(({ data }) => data.reason.kind)).toEqual(['error', 'completed'])
  })

  it('to a parent that waits for it, when another writer takes its record over', async () => {
    const one = await bench({
      root: delegatesOnce({}),
      child: ({ prompt }) =>
        prompt.at(-1)?.role === 'tool'
          ? 'Read.'
          : { delayMs: 200, calls: [{ name: 'read', input: { path: 'a.txt' } }] },
    })
    const root = await one.root()
    await one.send(root, 'Go')
    await one.until(() => one.workbench.activations.runningUnder(root) === 1)
    const { id } = await onlyChild(one, root)
    const { length: seq } = await one.log(id)
    const foreign = { seq, time: 0, type: 'session/title', data: { title: 'Mine', source: 'person' } }
    await one.workbench.store.persistence.append([{ sessionId: id, expectedSeq: seq, events: [foreign] }])

    await one.until(() => one.workbench.activations.get(root)?.agent.isRunning === false)

    const [result] = eventsOf(await one.log(root), 'tool/result')
    expect(result?.data).toMatchObject({ status: 'error', summary: 'interrupted' })
    expect(await one.log(id)).toHaveLength(seq + 1)
  })
})

describe('limits', () => {
  it('hold for calls that start children side by side', async () => {
    const one = await bench({
      root: ({ prompt }) =>
        prompt.some(({ role }) => role === 'tool')
          ? 'Started.'
          : { calls: Array.from({ length: 6 }, () => delegate({ background: true }).calls![0]!) },
      child: () => ({ text: 'Busy', stall: true }),
    })
    const { settings, activations } = one.workbench
    settings.update({ limits: { ...settings.get().limits, runningPerRoot: 2 } })
    const root = await one.root()

    await one.send(root, 'Go')
    await one.until(async () => eventsOf(await one.log(root), 'tool/result').length === 6)

    const results = eventsOf(await one.log(root), 'tool/result').map(({ data }) => data.status)
    expect(results.toSorted()).toEqual(['error', 'error', 'error', 'error', 'ok', 'ok'])
    expect(activations.runningUnder(root)).toBe(2)
    await one.workbench.messaging.stopTree(root)
    await one.until(() => activations.list().length === 1)
    await one.prompt(root, 'Over?')
    expect(await one.outcome(root)).toEqual({ kind: 'completed' })
  })

  it('hold for an agent that sets its idle children to work again', async () => {
    const model = createScriptedModel(request => {
      if (isChild(request)) return request.lastUserText === 'Audit it.' ? 'Done.' : { text: 'x', stall: true }
      if (request.lastUserText === 'Go') {
        return request.prompt.some(({ role }) => role === 'tool')
          ? 'Started.'
          : {
              calls: [
                ...delegate({ mode: 'continuable' }).calls!,
                ...delegate({ mode: 'continuable' }).calls!,
              ],
            }
      }
      if (request.prompt.at(-1)?.role === 'tool') return 'Sent.'
      const ids = [...request.lastUserText.matchAll(/id=(\S+)/g)].map(match => match[1])
      return { calls: ids.map(id => ({ name: 'send_message', input: { agent_id: id, message: 'More' } })) }
    })
    const one = await openTestWorkbench({ model })
    made.push(one)
    const { settings, activations, live } = one.workbench
    const root = await one.root()
    await one.prompt(root, 'Go')
    await one.until(() => activations.list().length === 1)
    await one.until(async () => (await one.outcome(root))?.kind === 'completed')
    const { sessions } = await one.workbench.store.persistence.list({ kind: 'children', parent: root })
    settings.update({ limits: { ...settings.get().limits, runningPerRoot: 1 } })

    await one.send(root, sessions.map(({ header }) => `id=${header.id}`).join(' '))
    await one.until(async () => eventsOf(await one.log(root), 'tool/result').length === 4)

    const results = eventsOf(await one.log(root), 'tool/result').slice(2)
    expect(results.map(({ data }) => data.status).toSorted()).toEqual(['error', 'ok'])
    expect(JSON.stringify(results)).toContain('Nothing was delivered: 1 children run already')
    expect(activations.runningUnder(root)).toBe(1)
    expect(live.list()).toHaveLength(2)
  })

  it('count a child that came back once, however often it did', async () => {
    const usage = { input: 1000, output: 0 }
    const one = await bench({
      root: request => ({ usage, ...asStep(delegatesOnce({ mode: 'continuable' })(request)) }),
      child: () => ({ usage, text: 'Done.' }),
    })
    const root = await one.root()
    await one.prompt(root, 'Go')
    const { id } = await onlyChild(one, root)
    for (let turn = 0; turn < 4; turn += 1) {
      await one.prompt(id, 'Again')
      await one.until(() => isGone(one, id) && one.workbench.activations.get(root)?.agent.isRunning === false)
    }
    const requests = one.model.requests.length
    const { settings } = one.workbench
    settings.update({ limits: { ...settings.get().limits, tokensPerRoot: requests * 1000 + 1 } })

    await one.prompt(id, 'Once more')
    await one.until(() => isGone(one, id))

    expect(await one.outcome(id)).toEqual({ kind: 'completed' })
    await one.until(async () => (await one.outcome(root))?.kind === 'limited')
  })
})

function asStep(answer: ReturnType<Play>) {
  return typeof answer === 'string' ? { text: answer } : answer
}

/** The write of a child's first events does not come back while the test looks. */
function neverCreates(store: Store): Store {
  const { persistence } = store
  const create: Store['persistence']['create'] = (header, events) =>
    header.origin === 'subagent'
      ? new Promise((_, reject) => setTimeout(reject, 3000, new Error('killed')))
      : persistence.create(header, events)
  return { ...store, persistence: { ...persistence, create } }
}

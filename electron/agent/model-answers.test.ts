import { APICallError } from '@ai-sdk/provider'
import { afterEach, describe, expect, it } from 'vitest'
import { createScriptedModel, type ScriptedAnswer } from '../model/scripted-model.ts'
import { eventsOf } from '../tree-fixture.ts'
import { openTestWorkbench, type TestWorkbench } from '../workbench-fixture.ts'

const open: TestWorkbench[] = []
afterEach(async () => {
  for (const bench of open.splice(0)) await bench.dispose()
})

async function bench(script: readonly ScriptedAnswer[]) {
  const made = await openTestWorkbench({ model: createScriptedModel(script) })
  open.push(made)
  return made
}

const overloaded = new APICallError({
  message: 'overloaded',
  url: 'test:',
  requestBodyValues: {},
  statusCode: 503,
  isRetryable: true,
})
const write = (path: string, callId?: string) => ({
  name: 'write',
  input: { path, content: 'x' },
  ...(callId !== undefined && { callId }),
})

describe('a model that fails', () => {
  it('before it says anything ends the turn with code and sentence; the next message is answered', async () => {
    const one = await bench([{ reject: new Error('no such luck') }, 'Hello.'])
    const id = await one.root()

    await one.prompt(id, 'Hi')
    expect(await one.outcome(id)).toMatchObject({
      kind: 'failed',
      code: 'MODEL_FAILED',
      message: expect.stringContaining('no such luck'),
    })
    await one.prompt(id, 'Hi again')

    expect(await one.outcome(id)).toEqual({ kind: 'completed' })
    const log = await one.log(id)
    expect(eventsOf(log, 'step/start')).toHaveLength(2)
    expect(eventsOf(log, 'step/end')).toHaveLength(2)
  })

  it('in the middle keeps what it said, without the calls that were never made', async () => {
    const one = await bench([{ text: 'So far', calls: [write('a.txt')], fail: new Error('cut') }, 'Hello.'])
    const id = await one.root()

    await one.prompt(id, 'Hi')

    const log = await one.log(id)
    expect(eventsOf(log, 'assistant/message')[0]?.data).toMatchObject({
      interrupted: true,
      usage: { estimated: true },
      content: [{ type: 'text', text: 'So far' }],
    })
    expect(eventsOf(log, 'tool/result')).toEqual([])
    expect(one.workbench.activations.get(id)?.agent.liveMessage).toBeNull()
    await one.prompt(id, 'And now?')
    expect(await one.outcome(id)).toEqual({ kind: 'completed' })
  })

  it('for a moment is asked again, and the log says so', async () => {
    const one = await bench([{ reject: overloaded }, 'Hello.'])
    const id = await one.root()

    await one.prompt(id, 'Hi')

    expect(await one.outcome(id)).toEqual({ kind: 'completed' })
    expect(eventsOf(await one.log(id), 'llm/retry')).toMatchObject([{ data: { attempt: 1, delayMs: 1000 } }])
  })

  it('for a moment is not asked again once the turn was stopped', async () => {
    const one = await bench([{ reject: overloaded }, 'Too late.'])
    const id = await one.root()
    await one.send(id, 'Hi')
    await one.until(async () => eventsOf(await one.log(id), 'llm/retry').length === 1)

    await one.workbench.messaging.interrupt(id)

    expect(await one.outcome(id)).toEqual({ kind: 'cancelled', by: 'user' })
    expect(one.model.requests).toHaveLength(1)
  })
})

describe('a turn that is stopped', () => {
  it('before the first token ends as stopped and keeps what waits', async () => {
    const one = await bench([{ stall: true }, 'Both read.'])
    const id = await one.root()
    await one.send(id, 'Hi')
    await one.send(id, 'Then this')
    await one.until(() => one.model.requests.length === 1)

    await one.workbench.messaging.interrupt(id)

    expect(await one.outcome(id)).toEqual({ kind: 'cancelled', by: 'user' })
    expect(eventsOf(await one.log(id), 'assistant/message').map(({ data }) => data.content)).toEqual([[]])
    expect(one.workbench.activations.get(id)?.agent.queued).toBe(1)
  })
})

describe('the end of an answer', () => {
  for (const [finishReason, code] of [
    ['length', 'MAX_TOKENS'],
    ['content-filter', 'BLOCKED'],
  ] as const) {
    it(`at ${finishReason} is no completion`, async () => {
      const one = await bench([{ text: 'Half of', finishReason }])
      const id = await one.root()

      await one.prompt(id, 'Hi')

      expect(await one.outcome(id)).toMatchObject({ kind: 'failed', code })
    })
  }

  it('without usage is logged as unknown, not as nothing spent', async () => {
    const one = await bench([{ text: 'Hello.', usage: null }])
    const id = await one.root()

    await one.prompt(id, 'Hi')

    expect(eventsOf(await one.log(id), 'assistant/message')[0]?.data.usage).toBeNull()
  })

  it('with numbers that are none does not fail the turn', async () => {
    const one = await bench([{ text: 'Hello.', usage: { input: Number.NaN, output: -7 } }])
    const id = await one.root()

    await one.prompt(id, 'Hi')

    expect(await one.outcome(id)).toEqual({ kind: 'completed' })
    expect(eventsOf(await one.log(id), 'assistant/message')[0]?.data.usage).toEqual({ input: 0, output: 0 })
  })
})

describe('ids of calls', () => {
  it('that a model uses twice never carry an approval over', async () => {
    const one = await bench([
      { calls: [write('a.txt', 'call_0')] },
      { calls: [write('b.txt', 'call_0')] },
      'Done.',
    ])
    const id = await one.root('ask')
    await one.send(id, 'Hi')
    await one.until(async () => (await one.workbench.approvals.open()).length === 1)
    const [first] = await one.workbench.approvals.open()
    await one.workbench.approvals.decide(id, first!.approval.approvalId, { kind: 'allow', scope: 'once' })

    await one.until(() => one.model.requests.length === 2)
    await one.until(async () => (await one.workbench.approvals.open()).length === 1)
    const [second] = await one.workbench.approvals.open()
    await one.workbench.approvals.decide(id, second!.approval.approvalId, { kind: 'deny' })
    await one.until(async () => (await one.outcome(id))?.kind === 'completed')

    const results = eventsOf(await one.log(id), 'tool/result').map(({ data }) => data.code ?? data.status)
    expect(results).toEqual(['ok', 'DENIED'])
  })

  it('are told apart within one step, and may be empty or long', async () => {
    const calls = ['', 'same', 'same', 'x'.repeat(300)].map(callId => ({
      name: 'read',
      input: { path: 'nothing.txt' },
      callId,
    }))
    const one = await bench([{ calls }, 'Done.'])
    const id = await one.root()

    await one.prompt(id, 'Hi')

    const results = eventsOf(await one.log(id), 'tool/result').map(({ data }) => data.callId)
    expect(new Set(results).size).toBe(4)
    const second = await one.restart()
    open.push(second)
    second.model.add('Still here.')
    await second.prompt(id, 'Back again')
    expect(await second.outcome(id)).toEqual({ kind: 'completed' })
  })
})

describe('messages', () => {
  it('that steer are read together with one that waits for a turn of its own; the others wait on', async () => {
    const one = await bench([{ stall: true }, 'One.', 'Two.'])
    const id = await one.root()
    const { agent } = one.workbench.activations.get(id)!
    await one.send(id, 'Start')
    await one.until(() => one.model.requests.length === 1)
    await one.workbench.messaging.interrupt(id)
    agent.session.append({
      type: 'inbox/queued',
      data: {
        messageId: 's',
        mode: 'steer',
        source: { kind: 'report' },
        content: [{ type: 'text', text: 'S' }],
      },
    })
    agent.session.append({
      type: 'inbox/queued',
      data: {
        messageId: 'a',
        mode: 'queue',
        source: { kind: 'person' },
        content: [{ type: 'text', text: 'A' }],
      },
    })

    await one.prompt(id, 'B')

    const claims = eventsOf(await one.log(id), 'inbox/claimed').map(({ data }) => data.messageIds.length)
    expect(claims).toEqual([1, 2, 1])
    expect(one.model.requests.map(({ lastUserText }) => lastUserText)).toMatchObject([
      'Start',
      expect.stringContaining('A'),
      'B',
    ])
  })

  it('that steer at the very end of a turn are read, once', async () => {
    const one = await bench(Array<string>(60).fill('Hello.'))
    const id = await one.root()
    let late = 0
    const stop = one.workbench.live.onEvent((_, { type }) => {
      if ((type !== 'turn/end' && type !== 'step/end') || late >= 20) return
      late += 1
      const text = `late ${late}`
      const ticks = late
      void (async () => {
        for (let tick = 0; tick < ticks; tick += 1) await null
        one.workbench.activations
          .get(id)!
          .agent.deliver([{ type: 'text', text }], { kind: 'person' }, 'steer')
      })()
    })

    await one.send(id, 'Hi')
    await one.until(() => late === 20 && one.workbench.activations.get(id)?.agent.isRunning === false)
    stop()

    const read = eventsOf(await one.log(id), 'user/message').map(({ data }) => JSON.stringify(data.content))
    for (let index = 1; index <= 20; index += 1)
      expect(read.filter(text => text.includes(`"late ${index}"`))).toHaveLength(1)
    expect(one.workbench.activations.get(id)?.agent.queued).toBe(0)
  })

  it('of ten megabytes, with NULs and halves of characters, survive a restart', async () => {
    const one = await bench(['Hello \ud83d \u0000 there.'])
    const id = await one.root()
    const text = `\u0000\ud800 start ${'0123456789'.repeat(1_000_000)}`

    await one.prompt(id, text)
    const second = await one.restart()
    open.push(second)
    second.model.add('Again.')
    await second.prompt(id, 'More')

    const prompt = JSON.stringify(second.model.requests.at(-1)?.prompt)
    expect(prompt).toContain('\\u0000\ufffd start 0123456789')
    expect(prompt).toContain('Hello \ufffd \\u0000 there.')
    expect(prompt.length).toBeGreaterThan(10_000_000)
  })

  it('under labels and models with control characters are shown and resumed as any other', async () => {
    const one = await bench([
      {
        calls: [
          {
            name: 'delegate',
            input: { description: '\u001b[31mred\u0007\n\ud800', prompt: 'Go', mode: 'continuable' },
          },
        ],
      },
      'Child.',
      'Started.',
      'Noted.',
    ])
    const id = await one.root()
    await one.workbench.actions.setModel(id, { provider: 'rehearsal', model: 'a\u0000\u001b]0;x\u0007' })
    await one.prompt(id, 'Hi')
    await one.until(async () => eventsOf(await one.log(id), 'subagent/settled').length === 1)
    await one.until(() => one.workbench.activations.get(id)?.agent.isRunning === false)
    const second = await one.restart()
    open.push(second)
    const { sessions } = await second.workbench.store.persistence.list({ kind: 'children', parent: id })
    second.model.add('Here.', 'Noted.')

    await second.prompt(sessions[0]!.header.id, 'Still there?')

    expect(await second.outcome(sessions[0]!.header.id)).toEqual({ kind: 'completed' })
  })
})

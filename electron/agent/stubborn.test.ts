import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { createScriptedModel, type ScriptedModel } from '../model/scripted-model.ts'
import { openStore, type Store } from '../store/store-client.ts'
import { eventsOf } from '../tree-fixture.ts'
import { openTestWorkbench, type TestOptions, type TestWorkbench } from '../workbench-fixture.ts'

const open: TestWorkbench[] = []
const stuck: (() => void)[] = []
afterEach(async () => {
  for (const release of stuck.splice(0)) release()
  for (const bench of open.splice(0)) await bench.dispose()
})

async function bench(options: TestOptions) {
  const made = await openTestWorkbench(options)
  open.push(made)
  return made
}

/** A store that takes outputs and never says that it has them. */
function hangingOutputs(store: Store): Store {
  const never = new Promise<void>(resolve => stuck.push(resolve))
  return { ...store, outputs: { ...store.outputs, append: () => never } }
}

/** Speaks, then neither goes on nor hears that it is to stop. */
function deafModel(text: string): ScriptedModel {
  const model = createScriptedModel([])
  return {
    ...model,
    doStream: async () => ({
      stream: new ReadableStream({
        start(controller) {
          controller.enqueue({ type: 'stream-start', warnings: [] })
          controller.enqueue({ type: 'text-start', id: '1' })
          controller.enqueue({ type: 'text-delta', id: '1', delta: text })
        },
      }),
    }),
  }
}

/** Is asked, and never so much as begins to answer. */
function mutedModel(): ScriptedModel {
  const never = new Promise<never>(() => {})
  return { ...createScriptedModel([]), doStream: () => never }
}

describe('stop', () => {
  it('ends a turn whose provider never begins to answer', async () => {
    const one = await bench({ model: mutedModel() })
    const id = await one.root()
    await one.send(id, 'Speak')
    await one.until(async () => eventsOf(await one.log(id), 'step/start').length === 1)
    await sleep(50)

    const start = performance.now()
    await one.workbench.messaging.interrupt(id)

    expect(performance.now() - start).toBeLessThan(2000)
    expect(await one.outcome(id)).toEqual({ kind: 'cancelled', by: 'user' })
  })

  it('ends a turn whose model does not hear it, and keeps what was said', async () => {
    const one = await bench({ model: deafModel('As far as I') })
    const id = await one.root()
    await one.send(id, 'Speak')
    await one.until(() => one.workbench.activations.get(id)?.agent.liveMessage?.isEmpty === false)

    const start = performance.now()
    await one.workbench.messaging.interrupt(id)

    expect(performance.now() - start).toBeLessThan(2000)
    expect(eventsOf(await one.log(id), 'assistant/message')[0]?.data).toMatchObject({
      content: [{ type: 'text', text: 'As far as I' }],
      interrupted: true,
    })
    expect(await one.outcome(id)).toEqual({ kind: 'cancelled', by: 'user' })
  })

  it('ends a turn whose tool does not answer, and says that its outcome is not known', async () => {
    const one = await bench({
      model: createScriptedModel([
        { calls: [{ name: 'shell', input: { command: 'echo began; yes | head -c 3000000; sleep 60' } }] },
      ]),
      openStore: async options => hangingOutputs(await openStore(options)),
    })
    const id = await one.root()
    await one.send(id, 'Run it')
    await one.until(async () => eventsOf(await one.log(id), 'tool/call').length === 1)
    await sleep(300)

    const start = performance.now()
    await one.workbench.messaging.interrupt(id)

    expect(performance.now() - start).toBeLessThan(8000)
    const [result] = eventsOf(await one.log(id), 'tool/result')
    expect(result?.data).toMatchObject({ status: 'error', code: 'TOOL_OUTCOME_UNKNOWN' })
    expect(await one.outcome(id)).toEqual({ kind: 'cancelled', by: 'user' })
  })
})

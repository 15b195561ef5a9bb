import { afterEach, describe, expect, it } from 'vitest'
import { delegate, eventsOf, isChild, openTestTree, type Play } from '../tree-fixture.ts'
import type { TestWorkbench } from '../workbench-fixture.ts'

const made: TestWorkbench[] = []
afterEach(async () => {
  for (const bench of made.splice(0)) await bench.dispose()
})

const CHILDREN = 6
const usage = { input: 900, output: 100 }

/** The root starts six children in one step; each step of a child costs a thousand tokens, and asks for another. */
async function pool(child: Play, tokensPerRoot: number) {
  const root: Play = ({ prompt }) =>
    prompt.some(({ role }) => role === 'tool')
      ? { text: 'Started.', usage }
      : { calls: Array.from({ length: CHILDREN }, () => delegate({ background: true }).calls![0]!), usage }
  const one = await openTestTree({ root, child })
  made.push(one)
  const { settings } = one.workbench
  settings.update({ limits: { ...settings.get().limits, tokensPerRoot } })
  return one
}

const isQuiet = (one: TestWorkbench) =>
  one.workbench.activations.list().every(({ agent }) => !agent.isRunning)

describe('the tokens of a tree', () => {
  it('are reserved before a request: children side by side do not spend the same rest', async () => {
    const reads = { calls: [{ name: 'glob', input: { pattern: '*' } }], usage, delayMs: 30 }
    const one = await pool(() => reads, 10_000)
    const root = await one.root()
    await one.send(root, 'Go')
    await one.until(async () => one.model.requests.filter(isChild).length > 0 && isQuiet(one))

    // The last request may begin when less is left than it takes, but one at a time.
    expect(one.model.requests.length).toBeLessThanOrEqual(11)
    expect(one.model.requests.length).toBeGreaterThanOrEqual(8)
  })

  it('count a request that was stopped by what it was given, since it reports nothing', async () => {
    const one = await openTestTree({ root: () => ({ stall: true }), child: () => '' })
    made.push(one)
    const id = await one.root()
    await one.send(id, 'A long question. '.repeat(1000))
    await one.until(() => one.model.requests.length === 1)
    await one.workbench.messaging.interrupt(id)
    await one.until(async () => eventsOf(await one.log(id), 'turn/end').length === 1)

    const [message] = eventsOf(await one.log(id), 'assistant/message')
    expect(message?.data).toMatchObject({ content: [], interrupted: true, usage: { estimated: true } })
    const usage = one.workbench.registry.valueOf(id, 'usage')
    expect(usage).toMatchObject({ own: { requests: 1, unreported: 1 } })
    expect(message?.data.usage?.input).toBeGreaterThan(4250)
    expect(message?.data.usage?.input).toBeLessThan(8000)
  })

  it('do not count a request that failed before it said anything', async () => {
    const one = await openTestTree({ root: () => ({ reject: new Error('Down.') }), child: () => '' })
    made.push(one)
    const id = await one.root()
    await one.prompt(id, 'Go')

    expect(eventsOf(await one.log(id), 'assistant/message')).toEqual([])
  })
})

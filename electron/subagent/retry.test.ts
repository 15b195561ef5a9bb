import { afterEach, describe, expect, it } from 'vitest'
import type { SessionId } from '#shared/session/ids.ts'
import { delegatesOnce, eventsOf, isChild, onlyChild, openTestTree, type Play } from '../tree-fixture.ts'
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

const broken = { reject: new Error('The provider is down.') }
const retry = (one: TestWorkbench, id: SessionId) => one.workbench.messaging.retry(id)
const kinds = async (one: TestWorkbench, id: SessionId) =>
  eventsOf(await one.log(id), 'turn/end').map(({ data }) => data.reason.kind)

describe('trying again', () => {
  it('asks once more with the same history and nothing new said', async () => {
    let attempts = 0
    const one = await bench(() => (++attempts === 1 ? broken : 'There it is.'))
    const id = await one.root()
    await one.prompt(id, 'Find it')
    expect((await one.outcome(id))?.kind).toBe('failed')

    await retry(one, id)
    await one.until(async () => (await one.outcome(id))?.kind === 'completed')

    const [first, second] = one.model.requests
    expect(second?.prompt).toEqual(first?.prompt)
    expect(eventsOf(await one.log(id), 'user/message')).toHaveLength(1)
    expect(await kinds(one, id)).toEqual(['error', 'completed'])
  })

  it('takes up a child as itself after a restart, and its parent hears of the new end', async () => {
    let attempts = 0
    const one = await bench(
      request =>
        request.lastUserText.startsWith('Agent') ? 'I see.' : delegatesOnce({ mode: 'continuable' })(request),
      () => (++attempts === 1 ? broken : 'Sound.'),
    )
    const root = await one.root()
    await one.prompt(root, 'Go')
    const { id } = await onlyChild(one, root)
    await one.workbench.live.flush()
    const again = await one.restart()
    made.push(again)

    await retry(again, id)
    await again.until(() => again.workbench.activations.get(id) === undefined)
    await again.prompt(root, 'And?')
    await again.until(async () => eventsOf(await again.log(root), 'subagent/settled').length === 2)

    expect(eventsOf(await again.log(root), 'subagent/settled').map(({ data }) => data.outcome)).toEqual([
      'failed',
      'completed',
    ])
    const requests = again.model.requests.filter(isChild)
    expect(requests.at(-1)?.prompt).toEqual(requests.at(0)?.prompt)
  })

  it('tells the model to go on where it was cut off in the middle of speaking', async () => {
    let attempts = 0
    const one = await bench(() =>
      ++attempts === 1 ? { text: 'The wall is', fail: new Error('Cut.') } : ' sound.',
    )
    const id = await one.root()
    await one.prompt(id, 'Look')

    await retry(one, id)
    await one.until(async () => (await one.outcome(id))?.kind === 'completed')

    expect(one.model.requests.at(-1)?.prompt.slice(-2)).toMatchObject([
      { role: 'assistant', content: [{ type: 'text', text: 'The wall is' }] },
      { role: 'user', content: [{ type: 'text', text: 'Go on where you stopped.' }] },
    ])
  })

  it('is refused where the last turn was answered, and while one runs', async () => {
    const one = await bench(({ lastUserText }) =>
      lastUserText === 'Wait' ? { text: 'Hm', stall: true } : 'Done.',
    )
    const id = await one.root()
    await one.prompt(id, 'Go')
    await expect(retry(one, id)).rejects.toMatchObject({ code: 'BAD_REQUEST' })

    await one.send(id, 'Wait')
    await one.until(() => one.workbench.activations.get(id)?.agent.isRunning === true)
    await expect(retry(one, id)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    expect(await kinds(one, id)).toEqual(['completed'])
  })
})

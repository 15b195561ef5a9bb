import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { searchShapes } from '#shared/contract/search.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { createScriptedModel } from '../model/scripted-model.ts'
import { openTestWorkbench, type TestWorkbench } from '../workbench-fixture.ts'

let test: TestWorkbench
beforeEach(async () => {
  const model = createScriptedModel(({ index, lastUserText }) =>
    index === 0 && lastUserText.includes('delegate')
      ? {
          calls: [
            {
              name: 'delegate',
              input: { description: 'Read the fixtures', prompt: 'find the pomegranate', background: false },
            },
          ],
        }
      : 'There is no quince here.',
  )
  test = await openTestWorkbench({ model })
})
afterEach(() => test.dispose())

const find = async (text: string, more: object = {}) => {
  const request = searchShapes.request.parse({ text, ...more })
  return searchShapes.answer.parse(await test.workbench.search.query(request))
}

/** The index is made behind the work: what is saved is known to be owed. */
const untilIndexed = async () => {
  const { activations, live, search } = test.workbench
  await test.until(() => activations.list().every(({ agent }) => !agent.isRunning))
  await live.flush()
  await test.until(async () => (await search.status()).done)
}

describe('a search', () => {
  it('finds what was said in a child, names it and its root', async () => {
    const root = await test.root()
    await test.workbench.actions.rename(root, 'Fruit')
    await test.prompt(root, 'please delegate')
    await untilIndexed()

    const { hits, next, status } = await find('pomegranate')
    const child = hits.find(({ author }) => author === 'parent')

    expect(child).toMatchObject({ label: 'Read the fixtures', rootId: root, type: 'user/message' })
    expect(hits.find(({ sessionId }) => sessionId === root)).toMatchObject({
      label: 'Fruit',
      rootId: root,
      author: 'agent',
    })
    expect({ next, status }).toMatchObject({
      next: null,
      status: { state: 'ready', done: true, problem: null },
    })
  })

  it('looks only into the tree it is asked about', async () => {
    const [one, other] = [await test.root(), await test.root()]
    await test.prompt(one, 'a medlar')
    await test.prompt(other, 'a medlar')
    await untilIndexed()

    const within = await find('medlar', { within: other })

    expect(within.hits.map(({ sessionId }) => sessionId)).toEqual([other])
    expect((await find('medlar')).hits).toHaveLength(2)
    expect((await find('medlar', { within: toSessionId('nobody') })).hits).toEqual([])
  })

  it('finds nothing in the trash, and everything again afterwards', async () => {
    const root = await test.root()
    await test.prompt(root, 'a medlar')
    await untilIndexed()
    const { actions } = test.workbench

    await actions.trash(root)
    const trashed = await find('medlar')
    await actions.restore(root)
    const restored = await find('medlar')

    expect([trashed.hits.length, restored.hits.length]).toEqual([0, 1])
  })
})

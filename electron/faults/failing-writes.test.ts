import { afterEach, describe, expect, it } from 'vitest'
import { WorkbenchError } from '#shared/errors.ts'
import { textContent } from '#shared/session/content.ts'
import { createScriptedModel, type ScriptedRequest, type ScriptedStep } from '../model/scripted-model.ts'
import { openStore, type Store } from '../store/store-client.ts'
import { delegatesOnce, eventsOf, isChild, onlyChild } from '../tree-fixture.ts'
import { openTestWorkbench, type TestWorkbench } from '../workbench-fixture.ts'
import { watchBanner } from './fixtures/fault-bench.ts'

const made: TestWorkbench[] = []
afterEach(async () => {
  for (const bench of made.splice(0)) await bench.dispose()
})

/** As the store says it. */
function full(): WorkbenchError {
  const cause = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  return new WorkbenchError('STORE_UNAVAILABLE', 'The disk is full.', { cause })
}

/** A disk that is full while `isFull`, and answers no write before `hangs` is over. */
function createDisk() {
  const disk: { isFull: boolean; hangs: Promise<void> | null } = { isFull: false, hangs: null }
  const guard = async <T>(write: () => Promise<T>): Promise<T> => {
    if (disk.hangs !== null) await disk.hangs
    if (disk.isFull) throw full()
    return write()
  }
  const decorate = (store: Store): Store => ({
    ...store,
    persistence: {
      ...store.persistence,
      append: batches => guard(() => store.persistence.append(batches)),
      create: (header, events) => guard(() => store.persistence.create(header, events)),
      saveDrafts: drafts => guard(() => store.persistence.saveDrafts(drafts)),
    },
  })
  return { disk, decorate }
}

async function bench(play: (request: ScriptedRequest) => ScriptedStep | string) {
  const { disk, decorate } = createDisk()
  const one = await openTestWorkbench({
    model: createScriptedModel(play),
    openStore: async options => decorate(await openStore(options)),
  })
  made.push(one)
  return { one, disk }
}

describe('the draft of a message', () => {
  it('stays until the message itself is saved', async () => {
    const order: string[] = []
    const one = await openTestWorkbench({
      model: createScriptedModel(() => 'Hello.'),
      openStore: async options => {
        const store = await openStore(options)
        const { persistence } = store
        const append: typeof persistence.append = async batches => {
          const results = await persistence.append(batches)
          for (const { events } of batches) order.push(...events.map(({ type }) => type))
          return results
        }
        const saveDrafts: typeof persistence.saveDrafts = drafts => {
          if (drafts.some(({ draft }) => draft === null)) order.push('no draft')
          return persistence.saveDrafts(drafts)
        }
        return { ...store, persistence: { ...persistence, append, saveDrafts } }
      },
    })
    made.push(one)

    await one.prompt(await one.root(), 'Hi')

    expect(order.slice(-3)).toEqual(['step/end', 'turn/end', 'no draft'])
  })
})

describe('a disk that is full for a while', () => {
  it('stops new requests, raises a banner within two seconds, and costs nothing once there is room', async () => {
    const { one, disk } = await bench(({ prompt }) =>
      prompt.at(-1)?.role === 'tool'
        ? 'Read.'
        : { delayMs: 100, calls: [{ name: 'read', input: { path: 'a.txt' } }] },
    )
    const window = watchBanner(one)
    const root = await one.root()
    await one.send(root, 'Go')
    await one.until(() => one.model.requests.length === 1)

    disk.isFull = true
    const fullAt = performance.now()
    await one.until(() => window.told.length === 1)
    await new Promise(resolve => setTimeout(resolve, 1500))

    expect(window.told[0]!.at - fullAt).toBeLessThan(2000)
    expect(window.told[0]!.banner).toMatchObject({
      level: 'alert',
      text: expect.stringContaining('full'),
    })
    expect(one.model.requests).toHaveLength(1)
    expect(eventsOf([...one.workbench.live.get(root)!.tail], 'tool/result')).toEqual([])

    disk.isFull = false
    await one.until(async () => (await one.outcome(root))?.kind === 'completed')
    await window.close()

    expect(window.told.map(({ banner }) => banner === null)).toEqual([false, true])
    const log = await one.log(root)
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index))
    expect(eventsOf(log, 'tool/result')).toHaveLength(1)
  })

  it('refuses a message in words and takes it when there is room again', async () => {
    const { one, disk } = await bench(() => 'Hello.')
    const root = await one.root()
    await one.prompt(root, 'First')
    disk.isFull = true
    one.workbench.live
      .get(root)!
      .append({ type: 'session/title', data: { title: 'Named', source: 'person' } })
    await one.until(() => one.workbench.live.trouble !== null)

    await expect(one.send(root, 'Second')).rejects.toMatchObject({
      code: 'NOT_SAVED',
      message: expect.stringContaining('not taken'),
    })
    disk.isFull = false
    await one.until(() => one.workbench.live.trouble === null)
    await one.prompt(root, 'Third')

    const texts = eventsOf(await one.log(root), 'user/message').map(({ data }) => data.content)
    expect(texts).toEqual([textContent('First'), textContent('Third')])
  })

  it('lets a message wait that came before anyone knew, and acknowledges it when it is saved', async () => {
    const { one, disk } = await bench(() => 'Hello.')
    const root = await one.root()
    await one.prompt(root, 'First')
    disk.isFull = true

    let isTaken = false
    const sending = one.send(root, 'Second').then(() => {
      isTaken = true
    })
    await one.until(() => one.workbench.live.trouble !== null)
    expect(isTaken).toBe(false)
    disk.isFull = false
    await sending

    await one.until(async () => (await one.outcome(root))?.kind === 'completed')
    const second = await one.restart()
    made.push(second)
    const texts = eventsOf(await second.log(root), 'user/message').map(({ data }) => data.content)
    expect(texts).toEqual([textContent('First'), textContent('Second')])
  })

  it('brings the result of a child that ended meanwhile, and resumes it only when its end is saved', async () => {
    const { one, disk } = await bench(request => {
      if (isChild(request)) return { delayMs: 100, text: 'Child done.' }
      return delegatesOnce({ mode: 'continuable', background: false })(request)
    })
    const root = await one.root()
    await one.send(root, 'Go')
    await one.until(() => one.model.requests.length === 2)
    const { id } = await onlyChild(one, root)

    disk.isFull = true
    await one.until(() => one.workbench.activations.get(id) === undefined)
    await expect(one.send(id, 'More')).rejects.toMatchObject({ code: 'NOT_SAVED' })
    disk.isFull = false
    await one.until(async () => (await one.outcome(root))?.kind === 'completed')
    await one.prompt(id, 'More')

    expect(JSON.stringify(eventsOf(await one.log(root), 'tool/result')[0]?.data)).toContain('Child done.')
    const ends = eventsOf(await one.log(id), 'turn/end').map(({ data }) => data.reason.kind)
    expect(ends).toEqual(['completed', 'completed'])
  })

  it('makes closing say so, and leaves nothing that keeps the process', async () => {
    const { one, disk } = await bench(() => 'Hello.')
    const root = await one.root()
    disk.isFull = true
    one.workbench.live.get(root)!.append({ type: 'session/title', data: { title: 'Lost', source: 'person' } })

    await expect(one.workbench.close()).rejects.toMatchObject({ code: 'NOT_SAVED' })
    disk.isFull = false

    await expect(one.workbench.live.flush()).rejects.toMatchObject({ code: 'NOT_SAVED' })
    const second = await one.restart()
    made.push(second)
    expect((await second.log(root)).map(({ type }) => type)).not.toContain('session/title')
  })
})

describe('a disk that hangs for a while', () => {
  it('still brings the result of a child that ends meanwhile, asks no model, and goes on by itself', async () => {
    const { one, disk } = await bench(request => {
      if (isChild(request)) return { delayMs: 100, text: 'Child done.' }
      return delegatesOnce({ background: false })(request)
    })
    const window = watchBanner(one)
    const root = await one.root()
    await one.send(root, 'Go')
    await one.until(() => one.model.requests.length === 2)

    const release = Promise.withResolvers<void>()
    disk.hangs = release.promise
    const since = performance.now()
    await one.until(() => window.told.length === 1)
    expect(performance.now() - since).toBeLessThan(2000)
    expect(window.texts()).toEqual([expect.stringMatching(/^Saving takes unusually long/)])
    const told = () => JSON.stringify(eventsOf(one.workbench.live.get(root)!.tail, 'tool/result'))
    await one.until(() => told().includes('Child done.'))
    expect(one.model.requests).toHaveLength(2)

    disk.hangs = null
    release.resolve()
    await one.until(async () => (await one.outcome(root))?.kind === 'completed')
    await one.until(() => window.texts().at(-1) === null)
    await window.close()
    const log = await one.log(root)
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index))
    expect(eventsOf(log, 'tool/result')).toHaveLength(1)
  })
})

import { afterEach, describe, expect, it } from 'vitest'
import type { Frame, Watch } from '#shared/frames.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { createFakeHost } from '../gallery/fake-host.ts'
import { mockSpecs } from '../gallery/fixtures.ts'
import { createWorld } from '../gallery/world.ts'
import type { Client } from './client.ts'
import { createApp } from './create-app.ts'
import { createWorkbenchStore } from './state.ts'
import { subscribe } from './subscription.ts'
import { EMPTY_TRANSCRIPT } from './transcripts.ts'

const S = toSessionId('s')
const title = (value: string, seq: number): Frame => ({
  kind: 'projection',
  sessionId: S,
  key: 'title',
  value,
  seq,
})

/** The machine may be busy. */
const soon = <T>(read: () => T) => expect.poll(read, { timeout: 5000, interval: 2 })

let stop = () => {}
afterEach(() => stop())

/** A host whose batches are handed over one by one, and that notes what it is told. */
function createHandedHost() {
  const heard = { acknowledged: [] as number[], watched: [] as Watch[], subscriptions: [] as Watch[] }
  let push: (batch: unknown) => void = () => {}
  let end: () => void = () => {}
  const stream = {
    subscribe: async ({ watch }: { readonly watch: Watch }) => {
      heard.subscriptions.push(watch)
      const waiting: unknown[] = []
      let wake: () => void = () => {}
      let isOver = false
      push = batch => {
        waiting.push(batch)
        wake()
      }
      end = () => {
        isOver = true
        wake()
      }
      return (async function* () {
        while (!isOver) {
          if (waiting.length > 0) yield waiting.shift()
          else await new Promise<void>(resolve => (wake = resolve))
        }
      })()
    },
    watch: async ({ watch }: { readonly watch: Watch }) => void heard.watched.push(watch),
    acknowledge: async ({ batch }: { readonly batch: number }) => void heard.acknowledged.push(batch),
  }
  return {
    heard,
    client: { stream } as unknown as Client,
    push: (batch: unknown) => push(batch),
    end: () => end(),
  }
}

function begin(whenPainted = () => Promise.resolve()) {
  const host = createHandedHost()
  const store = createWorkbenchStore()
  const log: string[] = []
  let updates = 0
  const subscription = subscribe({
    store,
    client: host.client,
    log: text => log.push(text),
    retryMs: 5,
    onSubscribed: () => {},
    onBatch: () => {},
    whenPainted,
  })
  stop = subscription.stop
  store.subscribe(() => {
    updates += 1
  })
  const titleNow = () => store.getState().live.get(S)?.cells.get('title')?.value
  return { host, store, log, titleNow, updates: () => updates }
}

describe('a subscription', () => {
  it('takes a batch in one update, and answers it after that (RT: batched notify)', async () => {
    const { host, titleNow, updates } = begin()
    await soon(() => host.heard.subscriptions.length).toBe(1)
    await new Promise(resolve => setTimeout(resolve, 10))
    const before = updates()

    host.push({ batch: 1, frames: [title('one', 1), title('two', 2), title('three', 3)] })

    await soon(() => host.heard.acknowledged).toEqual([1])
    expect(titleNow()).toBe('three')
    expect(updates() - before).toBe(1)
  })

  it('waits until what came before is painted, and with it waits the host', async () => {
    const painting = Promise.withResolvers<void>()
    const { host, titleNow } = begin(() => painting.promise)
    await soon(() => host.heard.subscriptions.length).toBe(1)
    host.push({ batch: 1, frames: [title('one', 1)] })
    await new Promise(resolve => setTimeout(resolve, 20))
    expect([titleNow(), host.heard.acknowledged]).toEqual([undefined, []])

    painting.resolve()
    await soon(() => host.heard.acknowledged).toEqual([1])
    expect(titleNow()).toBe('one')
  })

  it('goes on after frames that are none', async () => {
    const { host, log, titleNow } = begin()
    await soon(() => host.heard.subscriptions.length).toBe(1)
    host.push({ batch: 1, frames: [null, { kind: 'surprise' }, { ...title('x', 1), seq: 'high' }] })
    host.push({ batch: 2, frames: [title('kept', 1)] })
    await soon(() => host.heard.acknowledged).toEqual([1, 2])
    expect(titleNow()).toBe('kept')
    expect(log).toHaveLength(3)
    expect(host.heard.subscriptions).toHaveLength(1)
  })

  it('begins anew after a batch that cannot be answered', async () => {
    const { host, log, titleNow, store } = begin()
    await soon(() => host.heard.subscriptions.length).toBe(1)
    host.push({ frames: 'none' })
    await soon(() => host.heard.subscriptions.length).toBe(2)
    expect(log).toEqual(['the stream ended'])
    host.push({ batch: 1, frames: [title('after', 1)] })
    await soon(titleNow).toBe('after')
    expect(store.getState()).toMatchObject({ connection: 'open', epoch: 2 })
  })

  it('says what it looks at when that changes, and only then', async () => {
    const { host, store } = begin()
    await soon(() => store.getState().connection).toBe('open')
    store.setState({ query: 'x' })
    store.setState(({ transcripts }) => ({ transcripts: new Map(transcripts).set(S, EMPTY_TRANSCRIPT) }))
    store.setState(({ transcripts }) => ({
      transcripts: new Map(transcripts).set(S, { ...EMPTY_TRANSCRIPT, endSeq: 5 }),
    }))
    store.setState({ lists: new Map([[S, { status: 'loading' }]]) })
    expect(host.heard.watched).toEqual([
      { open: [S], listed: [] },
      { open: [S], listed: [S] },
    ])

    host.end()
    await soon(() => host.heard.subscriptions).toHaveLength(2)
    expect(host.heard.subscriptions[1]).toEqual({ open: [S], listed: [S] })
  })

  it('forgets with its host what only that one said: banners, live text, how far a log goes', async () => {
    const { host, store } = begin()
    await soon(() => store.getState().connection).toBe('open')
    store.setState({ transcripts: new Map([[S, { ...EMPTY_TRANSCRIPT, status: { kind: 'ready' } }]]) })
    host.push({
      batch: 1,
      frames: [
        { kind: 'text', sessionId: S, messageId: 'm', part: 'text', offset: 0, text: 'Half a' },
        { kind: 'behind', sessionId: S, fromSeq: 3, endSeq: 9 },
        { kind: 'banner', id: 'saving', banner: { level: 'alert', text: 'Not saved.' } },
      ],
    })
    await soon(() => store.getState().transcripts.get(S)?.behind).toBe(0)
    host.end()
    await soon(() => store.getState().epoch).toBe(2)
    const { banners, transcripts } = store.getState()
    expect(banners.size).toBe(0)
    expect(transcripts.get(S)).toMatchObject({ pieces: new Map(), behind: null })
  })

  it('stops for good when it is told to', async () => {
    const { host, store } = begin()
    await soon(() => store.getState().connection).toBe('open')
    stop()
    host.end()
    await new Promise(resolve => setTimeout(resolve, 30))
    expect(host.heard.subscriptions).toHaveLength(1)
    expect(store.getState().connection).toBe('open')
  })
})

it('what the host said before it was replaced goes with it', async () => {
  const host = createFakeHost(createWorld(Date.now(), mockSpecs()))
  const { app, start } = createApp({
    client: host.client,
    storage: null,
    chooseFolder: null,
    windowControls: null,
    log: () => {},
  })
  stop = start()
  const { getState } = app.store
  await soon(() => getState().connection).toBe('open')
  host.push({ kind: 'banner', id: 'rescued', banner: { level: 'alert', text: 'The database was damaged.' } })
  await soon(() => getState().banners.size).toBe(1)

  const { epoch } = getState()
  host.drop()
  await soon(() => getState().epoch).toBeGreaterThan(epoch)
  expect(getState().banners.size).toBe(0)
})

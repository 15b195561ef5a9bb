import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { MessageChannel } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { Frame } from '#shared/frames.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Client } from '../../renderer/store/client.ts'
import { createSessionLoader } from '../../renderer/store/load-sessions.ts'
import { createTranscriptLoader } from '../../renderer/store/load-transcripts.ts'
import { projectionOf } from '../../renderer/store/projections.ts'
import { createWorkbenchStore, type State } from '../../renderer/store/state.ts'
import { subscribe } from '../../renderer/store/subscription.ts'
import { silentLog } from '../log.ts'
import { createScriptedModel } from '../model/scripted-model.ts'
import { openTestWorkbench, type TestWorkbench } from '../workbench-fixture.ts'
import { clientPortOf, hostPortOf } from './fixtures/node-port.ts'
import { createRouter } from './router.ts'
import { servePort } from './transport/message-port.ts'
import { createPeerHost, type PeerHost } from './transport/peer.ts'
import { serveSocket } from './transport/web-socket.ts'

/* Whole ways: the composition root, a real transport, and the renderer's own store at the other end. */

const WORDS = 1000
const story = Array.from({ length: WORDS }, (_, index) => `word${index}`).join(' ')

let bench: TestWorkbench
let host: PeerHost
const closing: (() => void | Promise<void>)[] = []

beforeEach(async () => {
  const model = createScriptedModel(({ lastUserText }) => (lastUserText === 'Tell' ? story : 'Hello.'), {
    paceMs: 1,
  })
  bench = await openTestWorkbench({ model })
  host = createPeerHost(createRouter(bench.workbench), silentLog)
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  await bench.dispose()
})

/** Two lines to the same host, as the two shells have them. */
const lines = {
  async port(): Promise<Client> {
    const { port1, port2 } = new MessageChannel()
    const served = servePort(host, hostPortOf(port1))
    closing.push(() => served.close())
    return createORPCClient(new RPCLink({ port: clientPortOf(port2) }))
  },
  async socket(): Promise<Client> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
    server.on('connection', socket => serveSocket(host, socket))
    await once(server, 'listening')
    const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
    await once(socket, 'open')
    closing.push(() => {
      socket.terminate()
      server.close()
    })
    const port = {
      postMessage: (message: string) => socket.send(message),
      onMessage: {
        addListener: (listener: (message: unknown) => void) =>
          void socket.on('message', data => listener(data.toString())),
      },
      onDisconnect: { addListener: (listener: () => void) => void socket.on('close', listener) },
    }
    return createORPCClient(new RPCLink({ port }))
  },
}

async function openWindow(line: keyof typeof lines) {
  const client = await lines[line]()
  const frames: Frame[] = []
  let [batches, subscription] = [0, '']
  const store = createWorkbenchStore()
  const sessions = createSessionLoader({ store, client })
  const transcripts = createTranscriptLoader({ store, client })
  const looked: Client = {
    ...client,
    stream: {
      ...client.stream,
      watch: client.stream.watch,
      acknowledge: client.stream.acknowledge,
      subscribe: (async (...args: Parameters<Client['stream']['subscribe']>) => {
        subscription = args[0].subscription
        const stream = await client.stream.subscribe(...args)
        return (async function* () {
          for await (const batch of stream) {
            batches += 1
            frames.push(...batch.frames)
            yield batch
          }
        })()
      }) as Client['stream']['subscribe'],
    },
  }
  const problems: unknown[] = []
  const subscribed = subscribe({
    store,
    client: looked,
    log: (text, detail) => problems.push([text, detail]),
    retryMs: 10,
    onSubscribed: () => void sessions.refreshRoots(),
    onBatch: () => {
      transcripts.catchUp()
      if (store.getState().rootsVersion > 0) void sessions.refreshRoots()
    },
  })
  closing.push(() => subscribed.stop())
  await soon(() => store.getState().roots.status).toBe('ready')
  return {
    client,
    frames,
    problems,
    batches: () => batches,
    state: () => store.getState(),
    open: (id: SessionId) => transcripts.open(id),
    /** One that is asked for under its id takes its place, and is read by nobody. */
    async endStream() {
      const signal = AbortSignal.timeout(20)
      await client.stream.subscribe({ subscription, watch: { open: [], listed: [] } }, { signal })
    },
  }
}

/** The machine may be busy. */
const soon = <T>(read: () => T) => expect.poll(read, { timeout: 10_000, interval: 2 })

const titleOf = (state: State, id: SessionId) =>
  projectionOf(state.live.get(id), 'title') ?? state.summaries.get(id)?.title

describe.each(['port', 'socket'] as const)('over a %s, another window', line => {
  it('hears of renaming, putting away, taking back, throwing away and bringing back', async () => {
    const root = await bench.root()
    await bench.prompt(root, 'Hi')
    const [one, other] = [await openWindow('port'), await openWindow(line)]
    const { sessions } = one.client
    const eventually = (read: (state: State) => unknown) => soon(() => read(other.state()))

    await sessions.rename({ sessionId: root, title: 'Renamed' })
    await eventually(state => titleOf(state, root)).toBe('Renamed')

    await sessions.archive({ sessionId: root, archived: true })
    await eventually(state => state.summaries.get(root)?.archived).toBe(true)
    await sessions.archive({ sessionId: root, archived: false })
    await eventually(state => state.summaries.get(root)?.archived).toBe(false)

    await sessions.trash({ sessionId: root })
    await eventually(state => state.summaries.has(root)).toBe(false)
    await sessions.restore({ sessionId: root })
    await eventually(state => state.summaries.has(root)).toBe(true)
    await eventually(state => titleOf(state, root)).toBe('Renamed')
    expect(other.problems).toEqual([])
  })

  it('is told a value that became null as null, and ends with what a fresh snapshot says', async () => {
    const root = await bench.root()
    const window = await openWindow(line)
    void window.open(root)
    await bench.prompt(root, 'Hi')

    const fresh = () => bench.workbench.registry.snapshot(root)?.values
    await soon(() =>
      Object.fromEntries(
        [...(window.state().live.get(root)?.cells ?? [])].map(([key, { value }]) => [key, value]),
      ),
    ).toEqual(fresh())
    expect(fresh()).toMatchObject({ doing: null, outcome: { kind: 'completed' } })
    expect(projectionOf(window.state().live.get(root), 'doing')).toBeNull()
    expect(window.frames).toContainEqual(
      expect.objectContaining({ kind: 'projection', key: 'doing', value: null }),
    )
  })

  it('is sent no frame per token: a text of a thousand, word by word, and whole in the end', async () => {
    const root = await bench.root()
    const [open, closed] = [await openWindow(line), await openWindow('port')]
    void open.open(root)
    const before = open.batches()
    const start = performance.now()
    await bench.send(root, 'Tell')
    await soon(
      () => [...(open.state().transcripts.get(root)?.pieces.values() ?? [])][0]?.text ?? '',
    ).toContain('word5')
    await soon(() => bench.outcome(root)).toMatchObject({ kind: 'completed' })
    await soon(() => open.state().transcripts.get(root)?.pieces.size).toBe(0)
    const most = Math.ceil((performance.now() - start) / 16) + 1

    expect(open.batches() - before).toBeLessThanOrEqual(most)
    const texts = open.frames.filter(frame => frame.kind === 'text')
    expect(texts.length).toBeLessThanOrEqual(most)
    expect(texts.length).toBeGreaterThan(3)
    expect(closed.frames.filter(frame => frame.kind === 'text' || frame.kind === 'events')).toEqual([])
    const told = open
      .state()
      .transcripts.get(root)
      ?.events.find(event => event.type === 'assistant/message')
    expect(JSON.stringify(told)).toContain(story)
  })

  it('that is served anew reads everything again, and ends equal to a fresh snapshot', async () => {
    const root = await bench.root()
    const window = await openWindow(line)
    void window.open(root)
    await bench.prompt(root, 'Hi')
    const { epoch } = window.state()
    // Its stream ends, as where a window did not answer for too long.
    await window.endStream()
    await soon(() => window.state().epoch).toBeGreaterThan(epoch)
    await bench.prompt(root, 'Again')

    const end = bench.workbench.live.get(root)?.nextSeq
    await soon(() => window.state().transcripts.get(root)?.endSeq).toBe(end)
    await soon(() => projectionOf(window.state().live.get(root), 'turns')).toEqual(
      bench.workbench.registry.valueOf(root, 'turns'),
    )
    expect(window.state().connection).toBe('open')
  })
})

import { once } from 'node:events'
import { type AddressInfo, connect as netConnect, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createToyWorkbench, type ToyWorkbench } from '../../../e2e/support/toy-workbench.ts'
import { silentLog } from '../../log.ts'
import { createPeerHost } from './peer.ts'
import { type ServeSocketOptions, serveSocket } from './web-socket.ts'

const open: { close(): void }[] = []

async function serve(options: ServeSocketOptions = {}) {
  const toy: ToyWorkbench = createToyWorkbench()
  const host = createPeerHost(toy.router, silentLog)
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
  const served: WebSocket[] = []
  server.on('connection', socket => {
    served.push(socket)
    serveSocket(host, socket, options)
  })
  await once(server, 'listening')
  open.push(server)
  const { port } = server.address() as AddressInfo
  return { toy, served, port }
}

/** The bytes of a client's upgrade and of text frames, for a peer that can stop reading. */
async function rawClient(port: number): Promise<Socket> {
  const socket = netConnect(port, '127.0.0.1')
  open.push({ close: () => socket.destroy() })
  socket.write(
    'GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
  )
  await once(socket, 'data')
  return socket
}

function frame(text: string): Buffer {
  const payload = Buffer.from(text)
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload])
}

afterEach(() => {
  for (const thing of open.splice(0)) thing.close()
})

describe('a served socket', () => {
  it('reads no more from a peer that does not read, and goes on when it does', async () => {
    const { served, port } = await serve()
    const client = await rawClient(port)
    client.pause()
    const ask = (i: number) =>
      frame(JSON.stringify({ i: String(i), p: { u: '/workspaces/browse', b: { json: { path: '1' } } } }))

    for (let i = 0; i < 60; i += 1) {
      client.write(ask(i))
      await new Promise(resolve => setTimeout(resolve, 2))
    }

    await vi.waitFor(() => expect(served[0]?.isPaused).toBe(true))
    expect(served[0]?.bufferedAmount).toBeLessThan(24 * 1024 * 1024)
    let received = 0
    client.on('data', data => {
      received += data.length
    })
    client.resume()
    await vi.waitFor(() => expect(received).toBeGreaterThan(60 * 1024 * 1024), 10_000)
    expect(served[0]?.isPaused).toBe(false)
  })

  it('is given up when it answers no pings, and its handlers end', async () => {
    const { toy, port } = await serve({ heartbeatMs: 50 })
    const silent = await rawClient(port)
    silent.write(
      frame(
        JSON.stringify({
          i: '1',
          p: { u: '/stream/subscribe', b: { json: { subscription: 's', watch: { open: [], listed: [] } } } },
        }),
      ),
    )

    await vi.waitFor(() => expect(toy.streams).toEqual({ open: 0, aborted: 1 }))
  })

  it('lives on as long as it answers', async () => {
    const { served, port } = await serve({ heartbeatMs: 30 })
    const client = new WebSocket(`ws://127.0.0.1:${port}`)
    open.push(client)
    await once(client, 'open')

    await new Promise(resolve => setTimeout(resolve, 200))

    expect(served[0]?.readyState).toBe(WebSocket.OPEN)
  })
})

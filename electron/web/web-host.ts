import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { CLOSE_CODES, SOCKET_PATH } from '#shared/handshake.ts'
import type { Log } from '../log.ts'
import type { PeerHost } from '../rpc/transport/peer.ts'
import { MAX_PAYLOAD_BYTES, serveSocket } from '../rpc/transport/web-socket.ts'
import { PAGE_HEADERS } from './content-security-policy.ts'
import { createPageFiles } from './page-files.ts'
import { isOwnHost, isOwnPage, proveToken } from './socket-gate.ts'
import type { TokenKeeper } from './token.ts'

export interface WebHostOptions {
  readonly peers: PeerHost
  /** The built renderer. */
  readonly pageFolder: string
  /** 0: any free one. */
  readonly port: number
  readonly tokens: TokenKeeper
  readonly log: Log
}

export interface WebHost {
  /** `http://127.0.0.1:<port>/`, without the token. */
  readonly address: string
  /** Tells every page that the workbench leaves, then stops listening. Idempotent. */
  close(): Promise<void>
}

/** The page and the contract on 127.0.0.1, for the bearer of the token. Rejects with the system's error, e.g. `EADDRINUSE`. */
export async function listenForBrowsers(options: WebHostOptions): Promise<WebHost> {
  const { peers, tokens, log } = options
  const files = createPageFiles(options.pageFolder)
  const server = createServer()
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_PAYLOAD_BYTES,
    perMessageDeflate: false,
  })
  await listen(server, options.port)
  const port = portOf(server)

  server.on('request', (request, response) => {
    if (!isOwnHost(request, port)) return refuse(response, 421)
    answer(request, response).catch((error: unknown) => {
      log.error('A file of the page could not be served', error)
      refuse(response, 500)
    })
  })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = await files(request.method ?? '', pathOf(request))
    response.writeHead(status, headers).end(body)
  }

  server.on('upgrade', (request, duplex: Duplex, head) => {
    duplex.on('error', () => duplex.destroy())
    if (pathOf(request) !== SOCKET_PATH) return refuseUpgrade(duplex, '404 Not Found')
    if (!isOwnPage(request, port)) return refuseUpgrade(duplex, '403 Forbidden')
    sockets.handleUpgrade(request, duplex, head, socket => admit(socket))
  })
  const admit = async (socket: WebSocket) => {
    socket.on('error', () => socket.terminate()) // a broken or oversized frame: only this connection ends
    if (await proveToken(socket, tokens)) serveSocket(peers, socket)
  }

  let closing: Promise<void> | null = null
  return {
    address: `http://127.0.0.1:${port}/`,
    close() {
      closing ??= closeAll(server, sockets)
      return closing
    },
  }
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port.')
  return address.port
}

/** Without query, and never made into a URL: that would resolve `..` before it can be refused. */
function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?', 1)[0] ?? ''
}

function refuse(response: ServerResponse, status: 421 | 500) {
  if (!response.headersSent) response.writeHead(status, { ...PAGE_HEADERS, 'cache-control': 'no-store' })
  response.end()
}

function refuseUpgrade(duplex: Duplex, status: string) {
  duplex.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

const CLOSING_GRACE_MS = 500

async function closeAll(server: ReturnType<typeof createServer>, sockets: WebSocketServer): Promise<void> {
  for (const socket of sockets.clients) socket.close(CLOSE_CODES.leaving, 'Espalier is closing.')
  sockets.close()
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  server.closeIdleConnections()
  // A page that does not answer the goodbye does not hold up the end.
  const impatience = setTimeout(() => {
    for (const socket of sockets.clients) socket.terminate()
    server.closeAllConnections()
  }, CLOSING_GRACE_MS)
  await closed
  clearTimeout(impatience)
}

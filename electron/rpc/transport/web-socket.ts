import type { WebSocket } from 'ws'
import type { PeerHost } from './peer.ts'

/** Largest message a peer may send: a prompt with images stays under it. */
export const MAX_PAYLOAD_BYTES = 32 * 1024 * 1024
/** Unsent bytes from which on nothing more is read from a peer that does not read its answers. */
const PAUSE_ABOVE_BYTES = 4 * 1024 * 1024
const HEARTBEAT_MS = 30_000
const POLICY_VIOLATION = 1008

export interface ServeSocketOptions {
  readonly heartbeatMs?: number
}

/** Serves the contract over a socket that has already proved itself, until it closes or stops answering pings. */
export function serveSocket(host: PeerHost, socket: WebSocket, options: ServeSocketOptions = {}): void {
  const peer = host.connect({
    send: text => send(socket, text),
    close: reason => socket.close(POLICY_VIOLATION, reason),
  })
  const stopHeartbeat = startHeartbeat(socket, options.heartbeatMs ?? HEARTBEAT_MS)
  socket.on('message', (data, isBinary) => peer.receive(isBinary ? data : data.toString()))
  socket.on('close', () => {
    stopHeartbeat()
    peer.gone()
  })
}

/** Resolves when the kernel took the bytes. A failed send is no error here: `close` follows it and tells the peer. */
function send(socket: WebSocket, text: string): Promise<void> {
  return new Promise(resolve => {
    socket.send(text, () => {
      if (socket.isPaused && socket.bufferedAmount < PAUSE_ABOVE_BYTES / 2) socket.resume()
      resolve()
    })
    if (socket.bufferedAmount > PAUSE_ABOVE_BYTES) socket.pause()
  })
}

function startHeartbeat(socket: WebSocket, everyMs: number): () => void {
  let answered = true
  socket.on('pong', () => {
    answered = true
  })
  const timer = setInterval(() => {
    if (!answered) return socket.terminate()
    answered = false
    socket.ping()
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

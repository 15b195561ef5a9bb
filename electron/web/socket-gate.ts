import type { IncomingMessage } from 'node:http'
import type { RawData, WebSocket } from 'ws'
import { CLOSE_CODES, handshakeSchema, type Welcome } from '#shared/handshake.ts'
import type { TokenKeeper } from './token.ts'

/**
 * Whether a request was meant for this server by a page of this server. The Host header names us only when the
 * address really was ours: a foreign name that was made to point here (DNS rebinding) is refused.
 */
export function isOwnHost(request: IncomingMessage, port: number): boolean {
  return hostsOf(port).includes(request.headers.host ?? '')
}

export function isOwnPage(request: IncomingMessage, port: number): boolean {
  return isOwnHost(request, port) && request.headers.origin === `http://${request.headers.host}`
}

function hostsOf(port: number) {
  return [`127.0.0.1:${port}`, `localhost:${port}`]
}

const HANDSHAKE_TIMEOUT_MS = 5_000
const HANDSHAKE_BYTES = 1_000

/** Waits for the first message. Resolves `true` once the peer showed the token and was told so; else closes with the reason. */
export function proveToken(
  socket: WebSocket,
  tokens: TokenKeeper,
  timeoutMs = HANDSHAKE_TIMEOUT_MS,
): Promise<boolean> {
  return new Promise(resolve => {
    const settle = (proved: boolean) => {
      clearTimeout(timer)
      socket.off('message', onMessage)
      socket.off('close', onClose)
      resolve(proved)
    }
    const refuse = (reason: string) => {
      socket.close(CLOSE_CODES.refused, reason)
      settle(false)
    }
    const onClose = () => settle(false)
    const onMessage = (data: RawData) => {
      const shown = readToken(data)
      if (shown === null) return refuse('This page did not say who it is. Open the address Espalier printed.')
      if (!tokens.admits(shown)) {
        return refuse(
          'This page belongs to an earlier run. Open the address Espalier printed at its last start.',
        )
      }
      const welcome: Welcome = { espalier: 1, ready: true, token: tokens.token }
      socket.send(JSON.stringify(welcome))
      settle(true)
    }
    const timer = setTimeout(refuse, timeoutMs, 'This page did not say who it is in time.')
    socket.on('message', onMessage)
    socket.on('close', onClose)
  })
}

function readToken(data: RawData): string | null {
  const text = data.toString()
  if (text.length > HANDSHAKE_BYTES) return null
  try {
    return handshakeSchema.parse(JSON.parse(text)).token
  } catch {
    return null // not JSON, or not a handshake: the same refusal
  }
}

import { CLOSE_CODES, type Handshake, SOCKET_PATH, welcomeSchema } from '#shared/handshake.ts'
import { type Line, RefusedError } from './line.ts'
import { keepToken, takeToken } from './token.ts'

/** Opens a socket to the server this page came from, and shows the token. */
export function openSocketLine(signal: AbortSignal): Promise<Line> {
  const token = takeToken()
  if (token === null) {
    return Promise.reject(
      new RefusedError('This page has no key. Open the address Espalier printed when it started.'),
    )
  }
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(socketOrigin() + SOCKET_PATH)
    signal.addEventListener('abort', () => socket.close())
    socket.addEventListener('open', () => {
      const handshake: Handshake = { espalier: 1, token }
      socket.send(JSON.stringify(handshake))
    })
    socket.addEventListener('close', event => reject(failureOf(event)))
    const onWelcome = ({ data }: MessageEvent) => {
      socket.removeEventListener('message', onWelcome)
      const welcome = welcomeSchema.safeParse(parseJson(data))
      if (!welcome.success) return socket.close()
      keepToken(welcome.data.token)
      resolve(lineOver(socket))
    }
    socket.addEventListener('message', onWelcome)
  })
}

function socketOrigin(): string {
  const origin = new URL(location.href)
  return `${origin.protocol === 'https:' ? 'wss' : 'ws'}://${origin.host}`
}

function lineOver(socket: WebSocket): Line {
  return {
    ended: new Promise(resolve => {
      socket.addEventListener('close', event => resolve(event.reason || 'The workbench does not answer.'))
    }),
    close: () => socket.close(),
    port: {
      postMessage(message) {
        if (socket.readyState !== WebSocket.OPEN) throw new Error('The socket is closed.')
        socket.send(message)
      },
      onMessage: {
        addListener: listener => socket.addEventListener('message', event => listener(event.data)),
      },
      onDisconnect: { addListener: listener => socket.addEventListener('close', () => listener()) },
    },
  }
}

function failureOf(event: CloseEvent): Error {
  if (event.code === CLOSE_CODES.refused) return new RefusedError(event.reason)
  return new Error(event.reason || 'The workbench does not answer.')
}

function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined // no welcome
  }
}

import { connect } from 'node:net'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import { WebSocket } from 'ws'
import type { Contract } from '#shared/contract.ts'
import { readHost } from '../../store/host-file.ts'
import { MAX_PAYLOAD_BYTES } from './web-socket.ts'

export type WorkbenchClient = ContractRouterClient<Contract>

export interface HostConnection {
  readonly client: WorkbenchClient
  readonly kind: 'desktop' | 'browser'
  /** Open calls end with an error. The process may then exit. */
  close(): void
}

const CONNECT_TIMEOUT_MS = 3_000

/** The running workbench of a data folder, `null` when there is none (a left-over `host.json` is none). */
export async function connectToHost(dataFolder: string): Promise<HostConnection | null> {
  const host = readHost(dataFolder)
  if (!host?.socket) return null
  const { kind, socket: path } = host
  const socket = new WebSocket('ws://espalier/', {
    // Not a `ws+unix:` address: a path may hold characters that mean something in one.
    createConnection: () => connect(path),
    handshakeTimeout: CONNECT_TIMEOUT_MS,
    maxPayload: MAX_PAYLOAD_BYTES,
    perMessageDeflate: false,
  })
  if (!(await opens(socket))) return null
  const client: WorkbenchClient = createORPCClient(new RPCLink({ port: portOver(socket) }))
  return { client, kind, close: () => socket.close() }
}

function opens(socket: WebSocket): Promise<boolean> {
  return new Promise(resolve => {
    socket.once('open', () => resolve(true))
    // Stays for the life of the socket: `close` follows and ends the open calls.
    socket.on('error', () => resolve(false))
  })
}

/** oRPC's own link over a socket waits for ever on one that has closed; this one fails the call. */
function portOver(socket: WebSocket) {
  return {
    postMessage: (message: string) => {
      if (socket.readyState !== WebSocket.OPEN) throw new Error('The workbench has ended.')
      socket.send(message)
    },
    onMessage: {
      addListener: (listener: (message: string) => void) => {
        socket.on('message', data => listener(data.toString()))
      },
    },
    onDisconnect: {
      addListener: (listener: () => void) => {
        socket.on('close', () => listener())
      },
    },
  }
}

import process from 'node:process'
import type { Log } from './log.ts'
import { listenLocally } from './rpc/transport/local-socket.ts'
import type { PeerHost } from './rpc/transport/peer.ts'
import { socketPathOf } from './rpc/transport/socket-path.ts'
import { type Host, removeHost, writeHost } from './store/host-file.ts'
import { systemCodeOf } from './store/medium.ts'

/** How the command line reaches a running workbench: a socket, and the note in the data folder that names it. */
export interface HostSocket {
  announce(kind: Host['kind'], address: string | null): void
  close(): Promise<void>
}

const unreachable: HostSocket = { announce: () => {}, close: async () => {} }

export interface HostSocketOptions {
  readonly peers: PeerHost
  readonly dataFolder: string
  /** Nothing may be written there: no socket, and the command line reads the folder itself. */
  readonly viewOnly: boolean
  readonly log: Log
}

/** On a full disk there may be no room for either: then the workbench can be used in its windows alone. */
export async function openHostSocket(options: HostSocketOptions): Promise<HostSocket> {
  const { peers, dataFolder, viewOnly, log } = options
  if (viewOnly) return unreachable
  const bear = (error: unknown): void => {
    const code = systemCodeOf(error)
    if (code === null) throw error
    log.warn(`The command line cannot reach this workbench (${code}).`)
  }
  try {
    const socket = await listenLocally(peers, socketPathOf(dataFolder))
    return {
      announce(kind, address) {
        try {
          writeHost(dataFolder, { pid: process.pid, kind, address, socket: socket.path })
        } catch (error) {
          bear(error)
        }
      },
      async close() {
        await socket.close()
        removeHost(dataFolder)
      },
    }
  } catch (error) {
    bear(error)
    return unreachable
  }
}

import { randomUUID } from 'node:crypto'
import type { AnyContractRouter } from '@orpc/contract'
import type { Router } from '@orpc/server'
import { StandardRPCHandler } from '@orpc/server/standard'
import { createServerPeerHandleRequestFn } from '@orpc/server/standard-peer'
import { ServerPeer } from '@orpc/standard-server-peer'
import type { Log } from '../../log.ts'
import { readEnvelope } from './envelope.ts'

/** What every handler of the contract is given: who is asking. */
export interface ConnectionContext {
  readonly connection: { readonly id: string }
}

/** An implemented contract, which one is no matter here. */
export type ServedRouter = Router<AnyContractRouter, ConnectionContext>

/** One end of a connection, seen from the workbench: a window's port, a socket of a browser or of the command line. */
export interface Line {
  /** Resolves when the next message may be sent: a stream waits for it. Never rejects, also after the end. */
  send(text: string): Promise<void>
  /** Ends the connection, with a sentence where the medium can carry one. */
  close(reason: string): void
}

export interface Peer {
  /** Hands over one message as it came. Never throws. */
  receive(message: unknown): void
  /** The other end is gone: aborts every handler that still works for it. Idempotent. */
  gone(): void
}

/** Requests one connection may have open at once; streams count as long as they live. */
const MAX_OPEN_REQUESTS = 1_000

export interface PeerHost {
  connect(line: Line): Peer
  /** From now on this is served. Every line is closed, with a sentence: whoever comes back is served anew. */
  serve(router: ServedRouter, reason: string): void
  /** Messages dropped since the start because they were no messages of the contract. */
  undecodable(): number
}

/** Serves the contract over any number of lines, each with a connection id of its own. */
export function createPeerHost(router: ServedRouter, log: Log): PeerHost {
  let handler = new StandardRPCHandler<ConnectionContext>(router)
  const lines = new Set<Line>()
  let dropped = 0

  const connect = (line: Line): Peer => {
    const context: ConnectionContext = { connection: { id: randomUUID() } }
    const handle = createServerPeerHandleRequestFn(handler, { context })
    lines.add(line)
    const peer = new ServerPeer(message =>
      typeof message === 'string' ? line.send(message) : fail('the contract has no binary answers'),
    )
    let open = 0
    let ended = false

    return {
      receive(message) {
        if (ended) return
        const envelope = readEnvelope(message)
        if (!envelope || typeof message !== 'string') {
          dropped += 1
          if (dropped === 1) log.warn('A message that is none was dropped; further ones are only counted.')
          return
        }
        if (envelope.kind === 'request' && open >= MAX_OPEN_REQUESTS) {
          line.close('Too many requests at once.')
          return
        }
        open += 1
        peer
          .message(message, handle)
          .catch((error: unknown) => {
            if (!ended) log.error('An answer could not be sent to a window', error)
          })
          .finally(() => {
            open -= 1
          })
      },
      gone() {
        if (ended) return
        ended = true
        lines.delete(line)
        peer.close({ reason: new DOMException('The connection ended.', 'AbortError') })
      },
    }
  }

  return {
    connect,
    serve(next, reason) {
      handler = new StandardRPCHandler<ConnectionContext>(next)
      for (const line of [...lines]) line.close(reason)
    },
    undecodable: () => dropped,
  }
}

function fail(sentence: string): never {
  throw new Error(sentence)
}

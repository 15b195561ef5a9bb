import { setTimeout as delay } from 'node:timers/promises'
import { implement } from '@orpc/server'
import { contract, type HostInfo } from '#shared/contract.ts'
import type { ConnectionContext, ServedRouter } from '../../electron/rpc/transport/peer.ts'

/** Enough of the contract to try transports and shells on, without a store, a model or an agent. */

const toyContract = {
  diagnostics: { host: contract.diagnostics.host },
  stream: { subscribe: contract.stream.subscribe },
  workspaces: { browse: contract.workspaces.browse },
}

export interface ToyWorkbench {
  readonly router: ServedRouter
  /** Connection ids, in order of their first call. */
  readonly connections: readonly string[]
  /** Streams that live, and those whose connection ended. */
  readonly streams: { open: number; aborted: number }
}

export function createToyWorkbench(host: Partial<HostInfo> = {}): ToyWorkbench {
  const connections: string[] = []
  const streams = { open: 0, aborted: 0 }
  const toy = implement(toyContract).$context<ConnectionContext>()
  const router = toy.router({
    diagnostics: {
      host: toy.diagnostics.host.handler(({ context }) => {
        if (!connections.includes(context.connection.id)) connections.push(context.connection.id)
        return { ...TOY_HOST, ...host }
      }),
    },
    stream: {
      /** One batch, then nothing until the connection ends. */
      subscribe: toy.stream.subscribe.handler(async function* ({ signal }) {
        streams.open += 1
        signal?.addEventListener('abort', () => {
          streams.aborted += 1
        })
        yield { batch: 1, frames: [] }
        // The abort is the expected end, not a failure.
        await delay(60_000, undefined, signal ? { signal, ref: false } : { ref: false }).catch(() => {})
        streams.open -= 1
      }),
    },
    workspaces: {
      /** `path` says how many megabytes to answer with. */
      browse: toy.workspaces.browse.handler(({ input }) => ({
        path: 'x'.repeat(Number(input.path ?? '0') * 1024 * 1024),
        parent: null,
        folders: [],
      })),
    },
  })
  return { router, connections, streams }
}

const TOY_HOST: HostInfo = {
  version: '0.0.0-toy',
  shell: 'browser',
  platform: process.platform,
  dataFolder: '/toy',
  homeFolder: '/toy',
  workspace: null,
  running: 0,
  runningLimit: 8,
  firstRun: false,
  sampleRootId: null,
}

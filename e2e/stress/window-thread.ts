import { parentPort } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import type { Contract } from '#shared/contract.ts'
import type { Frame } from '#shared/frames.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { clientPortOf } from '../../electron/rpc/fixtures/node-port.ts'
import type { Client } from '../../renderer/store/client.ts'
import { createChildLoader } from '../../renderer/store/load-children.ts'
import { createTranscriptLoader } from '../../renderer/store/load-transcripts.ts'
import { createWorkbenchStore } from '../../renderer/store/state.ts'
import { subscribe } from '../../renderer/store/subscription.ts'
import type { FromWindow, ToWindow, WindowReport } from './messages.ts'

/*
 * A window without a page: the renderer's own store, subscription and loaders, over a port to the host. It is loaded
 * anew when it is told to, and checks on the wire that per key the seq never goes back.
 */

const seqs = new Map<string, number>()
const faults: string[] = []
let [frames, batches, loads] = [0, 0, 0]
/** Answers that are kept back. */
let waiting: (() => void)[] | null = null
let current: { readonly state: () => WindowReport['held']; readonly stop: () => void } | null = null

parentPort?.on('message', async (message: ToWindow) => {
  switch (message.kind) {
    case 'load':
      current?.stop()
      current = await load(message)
      break
    case 'stall':
      waiting = []
      break
    case 'answer': {
      const kept = waiting ?? []
      waiting = null
      for (const answer of kept) answer()
      break
    }
    case 'report':
      say({ kind: 'report', report: { frames, batches, loads, faults, held: current?.state() ?? null } })
      break
    case 'end':
      current?.stop()
      parentPort?.close()
      break
  }
})

async function load({ port, rootId, open, reloadAfter }: Extract<ToWindow, { kind: 'load' }>) {
  loads += 1
  let seen = 0
  let isLeaving = false
  const client = watched(createORPCClient(new RPCLink({ port: clientPortOf(port) })), batch => {
    batches += 1
    seen += batch.length
    for (const frame of batch) check(frame)
    if (reloadAfter === null || seen < reloadAfter) return
    seen = Number.NEGATIVE_INFINITY
    isLeaving = true
    say({ kind: 'reload' })
  })
  const store = createWorkbenchStore()
  const children = createChildLoader({ store, client })
  const transcripts = createTranscriptLoader({ store, client })
  const log = (text: string, detail: unknown) => {
    if (waiting === null && !isLeaving) faults.push(`${text}: ${String(detail)}`)
  }
  const subscription = subscribe({
    store,
    client,
    log,
    retryMs: 50,
    onSubscribed: () => {
      children.refreshAll()
      transcripts.reloadAll()
    },
    onBatch: () => {
      children.refreshStale()
      transcripts.catchUp()
    },
  })
  void children.load(rootId)
  void transcripts.open(open)
  return {
    stop: () => {
      subscription.stop()
      port.close()
    },
    state: () => {
      const { live, lists, transcripts: held } = store.getState()
      const list = lists.get(rootId)
      const transcript = held.get(open)
      return {
        listed: list?.status === 'ready' ? list.entries.map(({ id }) => id) : [],
        values: Object.fromEntries(
          [...live].map(([id, { cells }]) => [
            id,
            Object.fromEntries([...cells].map(([key, { value }]) => [key, value])),
          ]),
        ),
        behind: transcript?.behind ?? null,
        events: transcript?.events.slice(-20) ?? [],
      }
    },
  }
}

/** The same client, whose batches are looked at, and whose answers may be kept back. */
function watched(
  client: ContractRouterClient<Contract>,
  onFrames: (frames: readonly Frame[]) => void,
): Client {
  const { subscribe: begin, acknowledge } = client.stream
  const stream: Client['stream'] = {
    watch: client.stream.watch,
    subscribe: (async (...args: Parameters<typeof begin>) => {
      const batchesOf = await begin(...args)
      return (async function* () {
        for await (const batch of batchesOf) {
          onFrames(batch.frames)
          yield batch
        }
      })()
    }) as typeof begin,
    acknowledge: (async (...args: Parameters<typeof acknowledge>) => {
      if (waiting !== null) await new Promise<void>(resolve => waiting?.push(resolve))
      return acknowledge(...args)
    }) as typeof acknowledge,
  }
  return { history: client.history, subagents: client.subagents, stream } as unknown as Client
}

function check(frame: Frame): void {
  frames += 1
  if (frame.kind === 'projection') advance(frame.sessionId, frame.key, frame.seq)
  if (frame.kind !== 'snapshot') return
  for (const key of Object.keys(frame.values)) advance(frame.sessionId, key, frame.asOfSeq)
}

function advance(id: SessionId, key: string, seq: number): void {
  const slot = `${id} ${key}`
  const before = seqs.get(slot) ?? -1
  if (seq < before) faults.push(`${slot} went back from ${before} to ${seq}`)
  seqs.set(slot, seq)
}

function say(message: FromWindow): void {
  parentPort?.postMessage(message)
}

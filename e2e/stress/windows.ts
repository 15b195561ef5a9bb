import { MessageChannel, Worker } from 'node:worker_threads'
import type { SessionId } from '#shared/session/ids.ts'
import { hostPortOf } from '../../electron/rpc/fixtures/node-port.ts'
import { servePort } from '../../electron/rpc/transport/message-port.ts'
import type { PeerHost } from '../../electron/rpc/transport/peer.ts'
import type { FromWindow, ToWindow, WindowReport } from './messages.ts'

export interface StressWindow {
  stall(): void
  answer(): void
  report(): Promise<WindowReport>
  close(): Promise<void>
}

export interface WindowPlan {
  readonly rootId: SessionId
  readonly open: SessionId
  readonly reloadAfter: number | null
}

/** A window in a thread of its own, served as those of the shells are. */
export function openWindow(host: PeerHost, plan: WindowPlan): StressWindow {
  const worker = new Worker(new URL('./window-thread.ts', import.meta.url))
  let served: { close(): void } | null = null
  let onReport: (report: WindowReport) => void = () => {}

  const say = (message: ToWindow, ...ports: MessageChannel['port1'][]) => worker.postMessage(message, ports)
  const load = () => {
    served?.close()
    const { port1, port2 } = new MessageChannel()
    served = servePort(host, hostPortOf(port1))
    say({ kind: 'load', port: port2, ...plan }, port2)
  }
  worker.on('message', (message: FromWindow) => {
    if (message.kind === 'reload') load()
    else onReport(message.report)
  })
  load()

  return {
    stall: () => say({ kind: 'stall' }),
    answer: () => say({ kind: 'answer' }),
    report: () =>
      new Promise(resolve => {
        onReport = resolve
        say({ kind: 'report' })
      }),
    async close() {
      served?.close()
      await worker.terminate()
    },
  }
}

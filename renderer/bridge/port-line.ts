import { PORT_MESSAGE, type WindowApi } from '#shared/window-api.ts'
import type { Line } from './line.ts'

/** Asks the preload for a port. It comes as a message of this window; those of other windows are not looked at. */
export async function openPortLine(api: WindowApi, signal: AbortSignal): Promise<Line> {
  const port = await receivePort(api, signal)
  let end: (reason: string) => void = () => {}
  const ended = new Promise<string>(resolve => {
    end = resolve
  })
  let open = true
  const close = () => {
    if (!open) return
    open = false
    port.close()
    end('The workbench closed this window’s connection.')
    for (const listener of disconnected) listener()
  }
  const disconnected: (() => void)[] = []
  port.addEventListener('close', close)

  return {
    ended,
    close,
    port: {
      postMessage(message) {
        if (!open) throw new Error('The port is closed.')
        port.postMessage(message)
      },
      onMessage: {
        addListener(listener) {
          port.addEventListener('message', event => listener(event.data))
          port.start() // messages wait for the first listener
        },
      },
      onDisconnect: { addListener: listener => disconnected.push(listener) },
    },
  }
}

function receivePort(api: WindowApi, signal: AbortSignal): Promise<MessagePort> {
  return new Promise((resolve, reject) => {
    const stop = () => window.removeEventListener('message', onMessage)
    const onMessage = (event: MessageEvent) => {
      const [port] = event.ports
      if (event.source !== window || event.data !== PORT_MESSAGE || !port) return
      stop()
      resolve(port)
    }
    // The listener first: the port is not sent twice.
    window.addEventListener('message', onMessage)
    signal.addEventListener('abort', () => {
      stop()
      reject(signal.reason)
    })
    api.requestPort()
  })
}

import type { PeerHost } from './peer.ts'

/** As much of Electron's MessagePortMain, and of Node's MessagePort behind an adapter, as is used here. */
export interface HostPort {
  on(event: 'message', listener: (event: { data: unknown }) => void): unknown
  on(event: 'close', listener: () => void): unknown
  postMessage(message: string): void
  start(): void
  close(): void
}

/** Serves the contract to the window at the other end of `port`, until either side closes it. */
export function servePort(host: PeerHost, port: HostPort): { close(): void } {
  let open = true
  const peer = host.connect({
    // A port has no back-pressure: the contract's streams are acknowledged (contracts §4) for that reason.
    send: async text => {
      if (open) port.postMessage(text)
    },
    close: () => end(),
  })
  const end = () => {
    if (!open) return
    open = false
    peer.gone()
    port.close()
  }
  port.on('message', event => peer.receive(event.data))
  port.on('close', end)
  port.start()
  return { close: end }
}

/** One way to the workbench that works now: a port of the desktop shell or a socket of the browser shell. */
export interface Line {
  /** What oRPC's link needs. `postMessage` throws once the line has ended, so that a call fails instead of waiting. */
  readonly port: {
    postMessage(message: string): void
    readonly onMessage: { addListener(listener: (message: unknown) => void): void }
    readonly onDisconnect: { addListener(listener: () => void): void }
  }
  /** Resolves when the line has ended, with a sentence for people. */
  readonly ended: Promise<string>
  close(): void
}

/** Opens a line. Rejects with `RefusedError` when trying again is pointless, with anything else when it is not. */
export type OpenLine = (signal: AbortSignal) => Promise<Line>

/** The workbench does not want this page. `message` is for people. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
}

/** A call that never reached the workbench, or whose answer was lost with the connection. */
export class DisconnectedError extends Error {
  override readonly name = 'DisconnectedError'

  constructor(options?: ErrorOptions) {
    super('The connection to the workbench is lost. It is being restored.', options)
  }
}

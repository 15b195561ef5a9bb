/** `window.espalier`: what the desktop shell's preload gives a page. Absent in the browser shell. */
export interface WindowApi {
  readonly platform: string
  /** The port comes as a `message` event of the page's own window, with `PORT_MESSAGE` as its data. Listen first. */
  requestPort(): void
  /** `null` when the person chose none. */
  chooseFolder(): Promise<string | null>
  /** `command` is unchecked: parse it (`windowCommandSchema`). The return value unsubscribes. */
  onCommand(listener: (command: unknown) => void): () => void
}

// No schema in this file: the preload is built from it and stays small.
export const PORT_MESSAGE = 'espalier:port'

/** Channels between the preload and the desktop shell. */
export const WINDOW_CHANNELS = {
  port: 'espalier:port',
  chooseFolder: 'espalier:choose-folder',
  command: 'espalier:command',
  /** The page listens to commands from here on. */
  listening: 'espalier:listening',
  ping: 'espalier:ping',
  pong: 'espalier:pong',
} as const

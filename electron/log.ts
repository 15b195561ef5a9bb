/** Where the workbench and its shells say what happened. Never given a token, a key or a message's text. */
export interface Log {
  info(sentence: string): void
  warn(sentence: string): void
  /** `error` is written with its stack and causes. */
  error(sentence: string, error?: unknown): void
}

export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} }

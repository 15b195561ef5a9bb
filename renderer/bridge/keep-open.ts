import { messageOf } from '#shared/errors.ts'
import { type Line, type OpenLine, RefusedError } from './line.ts'

export type ConnectionState =
  | { readonly status: 'connecting' }
  | { readonly status: 'open' }
  /** Tried again at `retryAt` (epoch ms), or at once by `retry`. `reason` is a sentence. */
  | { readonly status: 'lost'; readonly reason: string; readonly attempt: number; readonly retryAt: number }
  /** This page is not wanted: only another address helps. `reason` is a sentence. */
  | { readonly status: 'refused'; readonly reason: string }

export interface KeepOpenOptions {
  readonly open: OpenLine
  readonly onLine: (line: Line) => void
  readonly onState: (state: ConnectionState) => void
  /** Of the first repetition; each further one doubles it, up to `longestDelayMs`. */
  readonly firstDelayMs: number
  readonly longestDelayMs: number
}

export interface KeptOpen {
  /** Does not wait for the next attempt; nothing while a line is open. */
  retry(): void
  close(): void
}

/** Opens a line, and another one whenever it ends, with growing pauses while that fails. */
export function keepOpen({ open, onLine, onState, firstDelayMs, longestDelayMs }: KeepOpenOptions): KeptOpen {
  const ending = new AbortController()
  let line: Line | null = null
  let failures = 0
  let wake: () => void = () => {}

  /** Resolves with what ended it. Never rejects. */
  const liveOneLine = async (): Promise<Error> => {
    try {
      line = await open(ending.signal)
      failures = 0
      onLine(line)
      onState({ status: 'open' })
      return new Error(await line.ended)
    } catch (error) {
      return error instanceof Error ? error : new Error(messageOf(error))
    } finally {
      line = null
    }
  }

  /** Says what happened and after how long to try again; `null`: only when told. */
  const announce = (failure: Error): number | null => {
    const reason = failure.message
    if (failure instanceof RefusedError) {
      onState({ status: 'refused', reason })
      return null
    }
    const delayMs = Math.min(firstDelayMs * 2 ** failures, longestDelayMs)
    failures += 1
    onState({ status: 'lost', reason, attempt: failures, retryAt: Date.now() + delayMs })
    return delayMs
  }

  const pause = (ms: number | null) =>
    new Promise<void>(resolve => {
      const timer = ms === null ? undefined : setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const run = async () => {
    while (true) {
      const failure = await liveOneLine()
      if (ending.signal.aborted) return
      await pause(announce(failure))
      if (ending.signal.aborted) return
    }
  }

  void run()
  return {
    retry: () => wake(),
    close() {
      ending.abort()
      line?.close()
      wake()
    },
  }
}

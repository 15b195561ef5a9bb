import type { Frame, FrameBatch } from '#shared/frames.ts'

/** One window's stream: pending frames go out as one batch, the next when the last was acknowledged. */
export function createFrameFeed() {
  let pending: Frame[] = []
  let batch = 0
  let acknowledged = 0
  let wake: (() => void) | null = null

  async function* stream(signal: AbortSignal | undefined): AsyncGenerator<FrameBatch, void, void> {
    signal?.addEventListener('abort', () => wake?.())
    while (signal?.aborted !== true) {
      if (pending.length > 0 && acknowledged === batch) {
        const frames = pending
        pending = []
        batch += 1
        yield { batch, frames }
        continue
      }
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
  }

  return {
    stream,
    push: (...frames: Frame[]) => {
      pending.push(...frames)
      wake?.()
    },
    acknowledge: (count: number) => {
      acknowledged = Math.max(acknowledged, count)
      wake?.()
    },
  }
}

export type FrameFeed = ReturnType<typeof createFrameFeed>

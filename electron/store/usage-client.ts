import type { UsageReader } from './stored-usage.ts'
import type { ThreadClient } from './thread-client.ts'

export function createUsageReader(thread: ThreadClient): UsageReader {
  return {
    measure: async (onProgress, signal) => {
      for (let begin = true; ; begin = false) {
        const step = await thread.call('usageStep', [begin], signal)
        if (step.done) return step.usage
        onProgress({ measured: step.measured, sessions: step.sessions })
      }
    },
    compact: async () => {
      await thread.call('compact', [])
    },
  }
}

import { encodeAll, encodeCheckpoint } from './encode.ts'
import type { CheckpointStore } from './persistence.ts'
import type { ThreadClient } from './thread-client.ts'
import type { WriteOrder } from './write-order.ts'

/** `CheckpointStore` over the store thread. States are serialised when they are handed in: folds share theirs. */
export function createCheckpointStore(
  thread: Pick<ThreadClient, 'call'>,
  writes: WriteOrder,
): CheckpointStore {
  return {
    write: async checkpoints => {
      await writes.submit(encodeAll([...checkpoints], encodeCheckpoint), encoded =>
        thread.call('writeCheckpoints', [encoded]),
      )
    },
    read: async (ids, keys, signal) => {
      const { sessions } = await thread.call('readCheckpoints', [[...ids], [...keys]], signal)
      return sessions
    },
    snapshot: (id, signal) => thread.call('snapshot', [id], signal),
    recentSnapshot: (id, maxTail, signal) => thread.call('recentSnapshot', [id, maxTail], signal),
    behind: signal => thread.call('behindCheckpoints', [], signal),
    catchUp: async ids => {
      await thread.call('catchUpCheckpoints', [[...ids]])
    },
    caughtUp: async () => {
      await thread.call('noteCaughtUp', [])
    },
    waiting: signal => thread.call('waiting', [], signal),
  }
}

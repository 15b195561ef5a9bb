import type { OutputStore } from './output-store.ts'
import type { ThreadClient } from './thread-client.ts'

/** `OutputStore` over the store thread. Bytes are handed over, never copied into JSON. */
export function createOutputStore(thread: Pick<ThreadClient, 'call'>): OutputStore {
  return {
    append: async (sessionId, id, from, bytes) => {
      // A view of a bigger buffer cannot be handed over: others use the rest of it.
      const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice()
      await thread.call('appendOutput', [sessionId, id, from, own])
    },
    read: (sessionId, id, { from, length }, signal) =>
      thread.call('readOutput', [sessionId, id, from, length], signal),
    list: (sessionId, signal) => thread.call('listOutputs', [sessionId], signal),
  }
}

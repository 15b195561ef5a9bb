const queues = new Map<string, Promise<unknown>>()

/**
 * Runs one change of a file after another, in the order asked, so that two calls (of one step, or of two children)
 * never overwrite what the other has just read. For this process only.
 */
export async function withFileLock<T>(path: string, change: () => Promise<T>): Promise<T> {
  const before = queues.get(path) ?? Promise.resolve()
  const mine = before.then(change, change)
  queues.set(path, mine)
  try {
    return await mine
  } finally {
    if (queues.get(path) === mine) queues.delete(path)
  }
}

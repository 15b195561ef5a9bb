/** As long as a person waits for a program to end. What is on the disk by then is whole: a log is never half-written. */
const PATIENCE_MS = 10_000

/** Resolves or rejects as `close` does; rejects when that takes too long, so that ending never hangs. */
export async function closeInTime(close: () => Promise<void>, patienceMs = PATIENCE_MS): Promise<void> {
  const { promise: tooLong, reject } = Promise.withResolvers<never>()
  const sentence = `Espalier did not end within ${patienceMs / 1000} seconds and was ended.`
  const timer = setTimeout(() => reject(new Error(sentence)), patienceMs)
  try {
    await Promise.race([close(), tooLong])
  } finally {
    clearTimeout(timer)
  }
}

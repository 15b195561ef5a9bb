/** @throws Error for a promise: units are synchronous. Its own end is of no interest, and must not go unhandled. */
export function settled<T>(value: T): T {
  if (!(value instanceof Promise)) return value
  value.catch(() => {})
  throw new Error('a unit answered with a promise')
}

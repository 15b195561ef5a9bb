import { useEffect, useState } from 'react'
import { type Failure, failureOf } from './failure.ts'

export type Called<T> =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly value: T }
  | { readonly status: 'failed'; readonly failure: Failure }

/**
 * One call of the host for one view, made again when `key` changes; what was answered stays in view meanwhile. With
 * `null` it is not made yet.
 * For what only one view shows: what several show is kept in the store.
 */
export function useCall<T>(
  key: string | null,
  call: (signal: AbortSignal) => Promise<T>,
): Called<T> & { readonly retry: () => void } {
  const [round, setRound] = useState(0)
  const [held, setHeld] = useState<{ readonly of: string | null; readonly called: Called<T> }>({
    of: key,
    called: LOADING,
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: `call` is new at each render; `key` says when it differs
  useEffect(() => {
    if (key === null) return
    const ending = new AbortController()
    const answer = (called: Called<T>) => {
      if (!ending.signal.aborted) setHeld({ of: key, called })
    }
    call(ending.signal).then(
      value => answer({ status: 'ready', value }),
      (error: unknown) => answer({ status: 'failed', failure: failureOf(error) }),
    )
    return () => ending.abort()
  }, [key, round])

  const called = key !== null && held.of?.split('\n')[0] === key.split('\n')[0] ? held.called : LOADING
  return { ...called, retry: () => setRound(count => count + 1) }
}

const LOADING: { readonly status: 'loading' } = { status: 'loading' }

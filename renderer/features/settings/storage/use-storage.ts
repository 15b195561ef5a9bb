import { useCallback, useEffect, useState } from 'react'
import type { StorageState, TrashedTree } from '#shared/contract/storage-shapes.ts'
import { useApp, useWorkbench } from '../../../store/app-context.tsx'
import { type Failure, failureOf } from '../../../store/failure.ts'

/** Between two looks at a measuring that goes on. */
const LOOK_MS = 400

export interface StorageLook {
  readonly state: StorageState | null
  readonly trashed: readonly TrashedTree[] | null
  readonly failure: Failure | null
  /** Looks again at everything: something was changed. */
  readonly again: () => void
}

/** What uses space and what is in the trash. A measuring is followed until it is done; what was known stays in view. */
export function useStorage(): StorageLook {
  const { client } = useApp()
  // A restored backup ends every connection: what another one said is not true any more.
  const epoch = useWorkbench(({ epoch: current }) => current)
  const [round, setRound] = useState(0)
  const [state, setState] = useState<StorageState | null>(null)
  const [trashed, setTrashed] = useState<readonly TrashedTree[] | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)

  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    const failed = (error: unknown) => {
      if (!signal.aborted) setFailure(failureOf(error))
    }
    const follow = async (again: boolean): Promise<void> => {
      const next = await client.storage.usage({ again }, { signal })
      if (signal.aborted) return
      setState(next)
      setFailure(null)
      if (next.measuring === null) return
      await new Promise(resolve => setTimeout(resolve, LOOK_MS))
      if (!signal.aborted) await follow(false)
    }
    follow(round > 0 || epoch > 1).catch(failed)
    client.sessions.trashed(undefined, { signal }).then(({ trees }) => {
      if (!signal.aborted) setTrashed(trees)
    }, failed)
    return () => ending.abort()
  }, [client, round, epoch])

  const again = useCallback(() => setRound(count => count + 1), [])
  return { state, trashed, failure, again }
}

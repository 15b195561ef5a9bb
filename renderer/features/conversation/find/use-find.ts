import { useEffect, useState } from 'react'
import type { SessionId } from '#shared/session/ids.ts'
import { useApp, useWorkbench } from '../../../store/app-context.tsx'
import { failureOf } from '../../../store/failure.ts'
import { type FindProgress, findInLog } from './find-in-log.ts'

export interface Find {
  readonly open: boolean
  readonly text: string
  readonly progress: FindProgress
  /** Which of `progress.seqs` is shown, −1 for none. */
  readonly at: number
  readonly problem: string | null
  /** Rises whenever the bar is asked for: it takes the focus. */
  readonly request: number
  readonly write: (text: string) => void
  /** 1: an older match, −1: a newer one; past the last it starts again. */
  readonly step: (by: 1 | -1) => void
  readonly close: () => void
}

const NOTHING: FindProgress = { seqs: [], done: false }
const SETTLE_MS = 160
let taken = 0

/** The find bar of one conversation: what is looked for, what was found, where it stands. */
export function useFind(sessionId: SessionId): Find {
  const app = useApp()
  const request = useWorkbench(state => state.findRequest)
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  const [progress, setProgress] = useState(NOTHING)
  const [at, setAt] = useState(-1)
  const [problem, setProblem] = useState<string | null>(null)

  useEffect(() => {
    if (request === taken) return
    taken = request
    setOpen(true)
  }, [request])

  useEffect(() => {
    setProgress(NOTHING)
    setAt(-1)
    setProblem(null)
    if (!open || text.trim() === '') return
    const ending = new AbortController()
    const { signal } = ending
    const timer = setTimeout(() => {
      findInLog(text, {
        signal,
        page: (before, limit) =>
          app.client.history.page({ sessionId, limit, ...(before !== undefined && { before }) }, { signal }),
        onProgress: found => {
          setProgress(found)
          setAt(now => (now === -1 && found.seqs.length > 0 ? 0 : now))
        },
      }).catch((error: unknown) => {
        if (!signal.aborted) setProblem(failureOf(error).detail)
      })
    }, SETTLE_MS)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [app, sessionId, open, text])

  const count = progress.seqs.length
  return {
    open,
    text,
    progress,
    at,
    problem,
    request,
    write: setText,
    step: by => setAt(now => (count === 0 ? -1 : (now + by + count) % count)),
    close: () => setOpen(false),
  }
}

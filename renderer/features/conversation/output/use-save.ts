import { useEffect, useRef, useState } from 'react'
import { type Failure, failureOf } from '../../../store/failure.ts'
import type { OutputSource } from './output-source.ts'
import { saveOutput } from './save-output.ts'

export type Saving =
  | { readonly kind: 'idle' }
  | { readonly kind: 'saving'; readonly saved: number }
  | { readonly kind: 'failed'; readonly failure: Failure }

/** Saving one output to a file, with progress. It ends with the view that asked for it. */
export function useSave(source: OutputSource, name: string) {
  const [saving, setSaving] = useState<Saving>({ kind: 'idle' })
  const ending = useRef<AbortController | null>(null)
  useEffect(() => () => ending.current?.abort(), [])

  const cancel = () => {
    ending.current?.abort()
    setSaving({ kind: 'idle' })
  }
  const save = () => {
    ending.current?.abort()
    const own = new AbortController()
    const { signal } = own
    ending.current = own
    const tell = (next: Saving) => {
      if (!signal.aborted) setSaving(next)
    }
    tell({ kind: 'saving', saved: 0 })
    saveOutput(source, name, saved => tell({ kind: 'saving', saved }), signal).then(
      () => tell({ kind: 'idle' }),
      (error: unknown) => tell({ kind: 'failed', failure: failureOf(error) }),
    )
  }
  return { saving, save, cancel }
}

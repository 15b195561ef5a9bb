import type { SessionId } from '#shared/session/ids.ts'
import type { JsonRecord } from '../json-fields.ts'
import type { PlacedLine } from './branches.ts'
import { blocksOf, plainText, userKind } from './user-line.ts'

/** One conversation of a session: the main one, or an agent's. Each becomes a session of ours. */
export interface Thread {
  readonly id: SessionId
  readonly kind: 'main' | 'agent' | 'inline'
  /** The id the source has for it. */
  readonly sourceId: string
  readonly path: string
  readonly lines: readonly PlacedLine[]
  /** An agent's sidecar file. */
  readonly meta: JsonRecord | null
  /** The workflow run it was part of. */
  readonly workflow: string | null
  readonly warnings: readonly string[]
}

/** The first thing that was asked of it. */
export function firstPrompt(thread: Thread): string | null {
  for (const { line, shown } of thread.lines) {
    if (!shown || line.type !== 'user' || line.message === null || userKind(line) !== 'prompt') continue
    return plainText(blocksOf(line))
  }
  return null
}

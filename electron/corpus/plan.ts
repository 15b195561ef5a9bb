import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { TurnEndReason } from '#shared/session/outcome.ts'
import type { DelegatedChild } from './root-log.ts'
import type { Ink } from './turn.ts'

export interface CorpusOptions {
  /** Descendants of the root, over all levels. */
  readonly children: number
  /** Events of each of them. */
  readonly events: number
  /** Roots beside the tree. */
  readonly unrelated: number
  /** Children of each of them, of one short turn. */
  readonly unrelatedChildren: number
  /** Levels below the root: at most as many as there are children. */
  readonly depth: number
  readonly checkpoints: boolean
  readonly seed: number
}

/** Fixed, so that the same options give the same corpus on any day. */
const START_MS = Date.UTC(2026, 0, 5, 9)
const APART_MS = 1000

export interface PlannedChild extends DelegatedChild {
  readonly header: SessionHeader
  readonly reason: TurnEndReason | null
}

export interface CorpusPlan {
  readonly root: SessionHeader
  readonly children: readonly PlannedChild[]
  readonly unrelated: readonly PlannedTree[]
}

export interface PlannedTree {
  readonly root: SessionHeader
  readonly children: readonly PlannedChild[]
}

/** Headers and fates of every session: even levels, each node under a random one of the level above. */
export function planCorpus(options: CorpusOptions, cwd: string, { random, prose }: Ink): CorpusPlan {
  const { children: count, depth } = options
  let time = START_MS
  const newHeader = (more: Partial<SessionHeader> = {}): SessionHeader => {
    time += APART_MS
    return { version: 1, id: random.sessionId(time), createdAt: time, cwd, ...more }
  }
  const root = newHeader()
  const newChild = (parentSession: SessionId, delegationDepth: number, index: number): PlannedChild => {
    const header = newHeader({ parentSession, origin: 'subagent', delegationDepth })
    const mode = index % 2 === 0 ? 'one-shot' : 'continuable'
    return { id: header.id, header, mode, label: labelOf(index), reason: fateOf() }
  }
  const children: PlannedChild[] = []
  let above: readonly SessionId[] = [root.id]
  for (let level = 1; level <= depth; level += 1) {
    const end = Math.round((count * level) / depth)
    const here: SessionId[] = []
    while (children.length < end) {
      const child = newChild(random.pick(above), level, children.length)
      children.push(child)
      here.push(child.id)
    }
    above = here
  }
  const unrelated = Array.from({ length: options.unrelated }, () => {
    const other = newHeader()
    const below = Array.from({ length: options.unrelatedChildren }, (_, index) =>
      newChild(other.id, 1, index),
    )
    return { root: other, children: below }
  })
  return { root, children, unrelated }

  function labelOf(index: number): string {
    return `Part ${index + 1}: ${prose.words(2)}`
  }

  /** Most children complete; the others end in every way there is. */
  function fateOf(): TurnEndReason | null {
    switch (random.below(20)) {
      case 0:
        return {
          kind: 'error',
          code: 'MODEL_UNREACHABLE',
          message: 'The model did not answer.',
          retryable: true,
        }
      case 1:
        return { kind: 'aborted', by: 'user' }
      case 2:
        return { kind: 'aborted', by: 'limit' }
      case 3:
        return null
      default:
        return { kind: 'completed' }
    }
  }
}

import { isSessionId } from '#shared/session/ids.ts'
import { MOST_TREES, type StoredUsage, type TreeUsage } from './stored-usage.ts'

/** One session, measured. */
export interface Sized {
  readonly key: number
  readonly id: string
  /** Who delegated it. */
  readonly parent: string | null
  /** What it is in the trash with. */
  readonly act: string | null
  /** Being deleted for good. */
  readonly isGone: boolean
  readonly archived: number
  readonly endSeq: number
  readonly bytes: number
}

export interface SizedTree {
  readonly root: Sized
  readonly sessions: number
  readonly bytes: number
}

export interface SizedTrees {
  readonly trees: readonly SizedTree[]
  readonly trash: ReadonlyMap<string, number>
}

/** Sessions that are looked at between two pauses. */
const AT_ONCE = 500

/**
 * Sums by tree, biggest first, and by act in the trash. A session whose parent is gone or in the trash is a tree of its
 * own, so is the first one met of an ancestry that goes in a circle: nothing is counted twice or left out. Pauses often:
 * there may be very many.
 */
export function* treesOf(all: readonly Sized[]): Generator<void, SizedTrees> {
  const trash = new Map<string, number>()
  const here = new Map<string, Sized>()
  for (const [index, one] of all.entries()) {
    if (index % AT_ONCE === 0) yield
    if (one.act !== null) trash.set(one.act, (trash.get(one.act) ?? 0) + one.bytes)
    else if (!one.isGone) here.set(one.id, one)
  }
  const roots = new Map<string, Sized>()
  const sums = new Map<Sized, { sessions: number; bytes: number }>()
  let looked = 0
  for (const one of here.values()) {
    looked += 1
    if (looked % AT_ONCE === 0) yield
    const root = rootOf(one, here, roots)
    const { sessions, bytes } = sums.get(root) ?? { sessions: 0, bytes: 0 }
    sums.set(root, { sessions: sessions + 1, bytes: bytes + one.bytes })
  }
  const trees = [...sums].map(([root, sum]) => ({ root, ...sum }))
  yield
  return { trees: trees.sort((one, other) => other.bytes - one.bytes), trash }
}

/** What was measured, as it is told. @param labelOf of a session of this process and its length. */
export function* usageOf(
  all: readonly Sized[],
  labelOf: (key: number, end: number) => string | null,
  free: number,
): Generator<void, StoredUsage> {
  const { trees, trash } = yield* treesOf(all)
  const shown = trees.slice(0, MOST_TREES).flatMap(({ root, sessions, bytes }): TreeUsage[] => {
    const { key, id, endSeq, archived } = root
    const label = labelOf(key, endSeq)
    return isSessionId(id) ? [{ id, label, archived: archived !== 0, sessions, bytes }] : []
  })
  return {
    trees: shown,
    all: {
      trees: trees.length,
      sessions: trees.reduce((sum, tree) => sum + tree.sessions, 0),
      bytes: trees.reduce((sum, tree) => sum + tree.bytes, 0),
    },
    trash: [...trash].map(([id, bytes]) => ({ id, bytes })),
    free,
  }
}

/** Every session on the way remembers what was found, so each is walked once. */
function rootOf(one: Sized, here: ReadonlyMap<string, Sized>, roots: Map<string, Sized>): Sized {
  if (one.parent === null) return one
  const way: Sized[] = []
  const seen = new Set<string>()
  let top = one
  for (;;) {
    const known = roots.get(top.id)
    if (known !== undefined) {
      top = known
      break
    }
    way.push(top)
    seen.add(top.id)
    const parent = top.parent === null ? undefined : here.get(top.parent)
    if (parent === undefined || seen.has(parent.id)) break
    top = parent
  }
  for (const { id } of way) roots.set(id, top)
  return top
}

import type { StorageState, TrashedTree } from '#shared/contract/storage-shapes.ts'
import type { Frame } from '#shared/frames.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { type Actor, actorOf, lineageIds, type World } from './world.ts'

const DAY_MS = 86_400_000
const MB = 1_000_000

interface Act {
  readonly tree: TrashedTree
  readonly actors: readonly Actor[]
  /** Where its root stood among the roots. */
  readonly place: number
}

/** The trash of the gallery's world, and what its sessions weigh. */
export function createFakeStorage(world: World, push: (...frames: Frame[]) => void) {
  const acts = new Map<SessionId, Act>()
  let freeBytes = 61 * MB

  const treeOf = (id: SessionId): Actor[] =>
    [...world.actors.values()].filter(actor => lineageIds(world, actor).includes(id))
  const weightOf = (actors: readonly Actor[]) =>
    actors.reduce((sum, { tokens, events }) => sum + 40_000 + tokens * 9 + events.length * 900, 0)

  function trash(id: SessionId, trashedAt = Date.now()): number {
    const actors = treeOf(id)
    const { label, header } = actorOf(world, id)
    const tree = { id, label, cwd: header.cwd ?? null, trashedAt, sessions: actors.length }
    const place = world.roots.indexOf(id)
    if (place >= 0) world.roots.splice(place, 1)
    for (const actor of actors) world.actors.delete(actor.id)
    acts.set(id, { tree, actors, place })
    push({ kind: 'removed', sessionId: id })
    return actors.length
  }

  function restore(id: SessionId): number {
    const act = acts.get(id)
    if (act === undefined) return 0
    acts.delete(id)
    for (const actor of act.actors) world.actors.set(actor.id, actor)
    if (act.place >= 0) world.roots.splice(act.place, 0, id)
    push({ kind: 'added', header: actorOf(world, id).header })
    return act.actors.length
  }

  function purge(id: SessionId): number {
    const act = acts.get(id)
    acts.delete(id)
    return act?.actors.length ?? 0
  }

  function usage(): StorageState {
    const trees = world.roots
      .map(id => {
        const { label, archived } = actorOf(world, id)
        const actors = treeOf(id)
        return { id, label, archived, sessions: actors.length, bytes: weightOf(actors) }
      })
      .sort((one, other) => other.bytes - one.bytes)
    const inTrash = [...acts.values()].map(({ tree, actors }) => ({ id: tree.id, bytes: weightOf(actors) }))
    const sum = (items: readonly { readonly bytes: number }[]) =>
      items.reduce((all, { bytes }) => all + bytes, 0)
    const parts = {
      sessions: sum(trees),
      trash: sum(inTrash),
      index: Math.round(sum(trees) * 0.3),
      free: freeBytes,
      search: 14 * MB,
      backups: 42 * MB,
      damaged: 9 * MB,
      logs: 2 * MB,
      other: 30_000,
    }
    return {
      usage: {
        measuredAt: Date.now(),
        total: Object.values(parts).reduce((all, bytes) => all + bytes, 0),
        parts,
        sessions: world.actors.size,
        trees: trees.slice(0, 50),
        treeCount: trees.length,
        trash: inTrash,
        diskFree: 84_000 * MB,
      },
      measuring: null,
      problem: null,
    }
  }

  return {
    trash,
    restore,
    purge,
    usage,
    trashed: () =>
      [...acts.values()].map(({ tree }) => tree).sort((one, other) => other.trashedAt - one.trashedAt),
    treeSize: (id: SessionId) => treeOf(id).length,
    running: (id: SessionId) => treeOf(id).filter(({ running }) => running),
    compact: () => {
      const before = 300 * MB
      const after = before - freeBytes
      freeBytes = 0
      return { before, after }
    },
    /** Throws roots away as if it had been done some days ago. */
    trashEarlier: (labels: readonly string[], days: number) => {
      for (const id of [...world.roots]) {
        if (labels.includes(actorOf(world, id).label ?? '')) trash(id, Date.now() - days * DAY_MS)
      }
    },
  }
}

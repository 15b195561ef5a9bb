import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { WorkbenchError } from '#shared/errors.ts'
import { isSessionId } from '#shared/session/ids.ts'
import type { CheckpointReads } from '../checkpoint-reads.ts'
import type { TrashedTree } from '../persistence.ts'
import { PURGED } from '../sqlite/trash.ts'
import { type Answer, answer } from '../wire.ts'
import { endOf } from './folder-logs.ts'
import type { GroupCommit } from './group-commit.ts'
import type { Marks } from './marks.ts'
import type { Entry, SessionFolders } from './session-folders.ts'
import { syncFolder } from './side-files.ts'

/** An append never waits longer for a step than this, and one session's files. */
const STEP_MS = 8

/**
 * Putting sessions aside. An act takes a session and everything delegated below it, and is undone as a whole: each
 * session is marked with the one that the act began with.
 */
export function createFolderTrash(
  folders: SessionFolders,
  marks: Marks,
  commit: GroupCommit,
  checkpoints: Pick<CheckpointReads, 'labelOf'>,
) {
  const isThere = ({ id }: Entry): boolean => !marks.trashed.has(id)

  /** `roots` and what was delegated below them, as far as `isIn` goes. A fork is a session in its own right. */
  function treeOf(roots: readonly Entry[], isIn: (entry: Entry) => boolean): Entry[] {
    const found = new Set(roots)
    for (const entry of found) {
      for (const child of folders.childrenOf(entry.id)) {
        if (child.place.origin === 'subagent' && isIn(child)) found.add(child)
      }
    }
    return [...found]
  }

  function existing(id: string): Entry {
    const entry = folders.get(id)
    if (entry === undefined || !isThere(entry)) throw notFound(id)
    return entry
  }

  /** The act that a session is in the trash with, `null` for one that is not there. */
  function actOf(id: string): string | null {
    const act = marks.trashed.get(id)?.with ?? null
    if (folders.get(id) === undefined || act === PURGED) throw notFound(id)
    return act
  }

  function trashedWith(act: string): Entry[] {
    return [...marks.trashed].flatMap(([id, mark]) => (mark.with === act ? (folders.get(id) ?? []) : []))
  }

  function unarchive(entry: Entry, act: string): number {
    const isOfAct = ({ id }: Entry): boolean => marks.archived.get(id) === act
    const above = new Set([entry])
    for (const at of above) {
      const parent = at.place.origin === 'subagent' ? folders.get(at.place.parent ?? '') : undefined
      if (parent !== undefined && isOfAct(parent)) above.add(parent)
    }
    const tree = treeOf([...above], () => true).filter(isOfAct)
    change(() => {
      for (const { id } of tree) marks.archived.delete(id)
    })
    return tree.length
  }

  /** What was trashed with it, and before from below it: nothing could show that again. */
  function doomed(act: string): Entry[] {
    return treeOf(trashedWith(act), child => !isThere(child))
  }

  function change(work: () => void): void {
    commit.run(() => marks.change(work))
  }

  /** Out of every listing at once, and then deleted: a kill in between leaves nothing that could be shown. */
  function remove(entry: Entry): void {
    const gone = join(folders.root, `.gone-${entry.key}-${Date.now()}`)
    renameSync(entry.folder, gone)
    rmSync(gone, { recursive: true, force: true })
    folders.removed(entry)
  }

  return {
    reads: {
      trashed(): Answer<readonly TrashedTree[]> {
        const acts = [...marks.trashed].flatMap(([id, mark]) => (mark.with === id ? [{ id, ...mark }] : []))
        const trees = acts.flatMap(({ id, at }): (TrashedTree & { key: number })[] => {
          const entry = folders.get(id)
          if (entry === undefined || !isSessionId(id)) return []
          const label = checkpoints.labelOf(entry.key, endOf(entry).end)
          const cwd = entry.header.kind === 'header' ? (entry.header.header.cwd ?? null) : null
          return [{ id, label, cwd, trashedAt: at, sessions: doomed(id).length, key: entry.key }]
        })
        trees.sort((one, other) => other.trashedAt - one.trashedAt || other.key - one.key)
        return answer(trees.map(({ key: _, ...tree }) => tree))
      },
    },
    writes: {
      archive(id: string, archived: boolean): Answer<number> {
        const entry = existing(id)
        const act = marks.archived.get(id)
        if (!archived) return answer(act === undefined ? 0 : unarchive(entry, act))
        const tree = treeOf([entry], isThere).filter(one => !marks.archived.has(one.id))
        change(() => {
          for (const one of tree) marks.archived.set(one.id, id)
        })
        return answer(tree.length)
      },

      trash(id: string): Answer<number> {
        const tree = treeOf([existing(id)], isThere)
        const at = Date.now()
        change(() => {
          for (const one of tree) marks.trashed.set(one.id, { at, with: id })
        })
        return answer(tree.length)
      },

      restore(id: string): Answer<number> {
        const act = actOf(id)
        if (act === null) return answer(0)
        const tree = trashedWith(act)
        change(() => {
          for (const one of tree) marks.trashed.delete(one.id)
        })
        return answer(tree.length)
      },

      /** Nothing shows them from now on; `purgeStep` deletes them. */
      condemn(id: string): Answer<number> {
        const act = actOf(id)
        if (act === null) {
          throw new WorkbenchError('BAD_REQUEST', 'Only what is in the trash is deleted for good.')
        }
        const tree = doomed(act)
        change(() => {
          for (const one of tree) {
            marks.trashed.set(one.id, { at: marks.trashed.get(one.id)?.at ?? Date.now(), with: PURGED })
          }
        })
        return answer(tree.length)
      },

      /** @returns whether nothing is left to delete. A kill in between costs nothing: what is left is condemned. */
      purgeStep(): Answer<boolean> {
        const until = performance.now() + STEP_MS
        const gone: string[] = []
        let isDone = true
        for (const [id, mark] of marks.trashed) {
          if (mark.with !== PURGED) continue
          isDone = performance.now() <= until
          if (!isDone) break
          const entry = folders.get(id)
          if (entry !== undefined) remove(entry)
          gone.push(id)
        }
        if (gone.length > 0) {
          syncFolder(folders.root)
          change(() => {
            for (const id of gone) {
              marks.trashed.delete(id)
              marks.archived.delete(id)
              marks.cuts.delete(id)
            }
          })
        }
        return answer(isDone)
      },
    },
  }
}

function notFound(id: string): WorkbenchError {
  return new WorkbenchError('SESSION_NOT_FOUND', `There is no session ${id}.`)
}

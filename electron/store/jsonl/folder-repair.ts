import { copyFileSync, fstatSync, fsyncSync, ftruncateSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { LogRepair } from '../logs.ts'
import { encodedEvents, eventLines, indexedRows } from './event-lines.ts'
import { DRAFT_FILE } from './folder-logs.ts'
import type { GroupCommit } from './group-commit.ts'
import type { Marks } from './marks.ts'
import type { Entry, SessionFolders } from './session-folders.ts'
import type { SessionLog } from './session-log.ts'
import { errorCode, readRange, syncFolder, withFile, writeAll, writeNew } from './side-files.ts'

/** What a resume may change in a log. */
export function createFolderRepair(folders: SessionFolders, marks: Marks, commit: GroupCommit): LogRepair {
  return {
    together: work => commit.run(work),

    cutTail(key, fromSeq) {
      const entry = folders.at(key)
      const log = logOf(entry)
      const { at, kept } = log.placeOf(fromSeq)
      const tail = withFile(log.path, 'read', fd => readRange(fd, at, fstatSync(fd).size))
      const cuts = (marks.cuts.get(entry.id) ?? 0) + 1
      if (tail.length > 0) keepAside(entry.folder, cuts, tail)
      marks.change(() => marks.cuts.set(entry.id, cuts))
      // A stored index that knows of more would say that the end is lost.
      log.dropStoredIndex()
      if (kept.length > 0) rewriteEnd(log, at, kept)
      else if (tail.length > 0) truncate(log, at, tail)
      log.forget()
    },

    append(key, fromSeq, events) {
      if (events.length === 0) return
      const encoded = encodedEvents(fromSeq, events)
      if (!logOf(folders.at(key)).append(eventLines(encoded), indexedRows(encoded))) {
        throw new Error('the log changed while it was repaired')
      }
    },

    dropDraft(key) {
      rmSync(join(folders.at(key).folder, DRAFT_FILE), { force: true })
    },
  }

  function truncate(log: SessionLog, at: number, tail: Buffer): void {
    const fd = commit.touch(log, descriptor => {
      log.forget()
      writeAll(descriptor, tail, at)
    })
    ftruncateSync(fd, at)
  }

  /** The unit that is cut holds good lines too: they stay. The log is never without them. */
  function rewriteEnd(log: SessionLog, at: number, kept: readonly string[]): void {
    const next = `${log.path}.new`
    copyFileSync(log.path, next)
    withFile(next, 'write', fd => {
      ftruncateSync(fd, at)
      writeAll(fd, log.encoding.pack(kept).bytes, at)
      fsyncSync(fd)
    })
    commit.release(log)
    renameSync(next, log.path)
    commit.touchFolder(join(log.path, '..'), () => log.forget())
  }
}

function logOf({ id, log }: Entry): SessionLog {
  if (log === null) throw new Error(`session ${id} has no log`)
  return log
}

/** The very bytes, in a file beside the log that no one writes to again. */
function keepAside(folder: string, number: number, tail: Buffer): void {
  for (let next = number; ; next += 1) {
    try {
      writeNew(join(folder, `torn-${next}`), tail)
      syncFolder(folder)
      return
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
}

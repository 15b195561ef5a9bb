import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { WorkbenchError } from '#shared/errors.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { AppendResult } from '../persistence.ts'
import { type Answer, answer, type EncodedBatch, type EncodedDraft, type EncodedEvents } from '../wire.ts'
import type { Encoding } from './encoding.ts'
import { eventLines, indexedRows } from './event-lines.ts'
import { DRAFT_FILE } from './folder-logs.ts'
import { nameOf } from './folder-name.ts'
import type { FolderOutputs } from './folder-outputs.ts'
import type { GroupCommit } from './group-commit.ts'
import { makeSession } from './make-session.ts'
import type { SessionFolders } from './session-folders.ts'
import type { SessionLog } from './session-log.ts'
import { errorCode, OddFile, replaceFile } from './side-files.ts'

/** The writes of live sessions. Each is durable as a whole, or nothing of it is there. */
export function createFolderWrites(
  folders: SessionFolders,
  commit: GroupCommit,
  encoding: Encoding,
  outputs: Pick<FolderOutputs, 'inherit'>,
) {
  /** Made under another name and renamed: a kill leaves a whole session or none. */
  function createOne(header: SessionHeader, events: EncodedEvents): void {
    const { id, parentSession, seedLength } = header
    const folder = folders.folderOf(id)
    if (folders.get(id) !== undefined || existsSync(folder)) {
      throw new WorkbenchError('SESSION_EXISTS', `There is a session ${id} already.`)
    }
    const unborn = join(folders.root, `.new-${nameOf(id)}`)
    rmSync(unborn, { recursive: true, force: true })
    try {
      mkdirSync(unborn, { mode: 0o700 })
      makeSession(unborn, { header, encoding, lines: eventLines(events), rows: indexedRows(events) })
      if (parentSession !== undefined && seedLength) {
        outputs.inherit(unborn, parentSession, events, seedLength)
      }
      renameSync(unborn, folder)
    } catch (error) {
      rmSync(unborn, { recursive: true, force: true })
      throw error
    }
    const entry = folders.added(id)
    commit.touchFolder(folders.root, () => {
      folders.removed(entry)
      rmSync(folder, { recursive: true, force: true })
    })
  }

  /** A trashed session still takes events: what its agent did is not lost when it comes back. */
  function appendOne({ sessionId, events }: EncodedBatch): AppendResult {
    const entry = folders.get(sessionId)
    if (entry === undefined) return 'missing'
    if (entry.log === null) return 'missing'
    try {
      if (statedEnd(entry.log) !== events.firstSeq) return 'conflict'
      if (events.texts.length === 0) return 'written'
      return entry.log.append(eventLines(events), indexedRows(events)) ? 'written' : 'conflict'
    } catch (error) {
      // Somebody took the file away while we run, or put something else there: it costs this session.
      if (errorCode(error) !== 'ENOENT' && !(error instanceof OddFile)) throw error
      entry.log.forget()
      return 'missing'
    }
  }

  function saveOne({ sessionId, text }: EncodedDraft): void {
    const entry = folders.get(sessionId)
    if (entry === undefined) return
    const file = join(entry.folder, DRAFT_FILE)
    if (text === null) rmSync(file, { force: true })
    else replaceFile(file, text, true)
  }

  return {
    create(header: SessionHeader, events: EncodedEvents): Answer<null> {
      commit.run(() => createOne(header, events))
      return answer(null)
    },
    append(batches: readonly EncodedBatch[]): Answer<readonly AppendResult[]> {
      return answer(commit.run(() => batches.map(appendOne)))
    },
    saveDrafts(drafts: readonly EncodedDraft[]): Answer<null> {
      for (const draft of drafts) saveOne(draft)
      return answer(null)
    },
  }
}

/** A log that the disk cannot read takes nothing more, and keeps no other from being saved. */
function statedEnd(log: SessionLog): number | null {
  try {
    return log.state().stated
  } catch (error) {
    if (errorCode(error) !== 'EIO') throw error
    return null
  }
}

import Database from 'better-sqlite3'
import { databaseFile } from '../store/data-folder.ts'
import { readCheckpoint } from '../store/jsonl/folder-checkpoints.ts'
import { sessionsFolder } from '../store/jsonl/format.ts'
import { GroupCommit } from '../store/jsonl/group-commit.ts'
import { SessionFolders } from '../store/jsonl/session-folders.ts'
import { backendOf } from '../store/open-backend.ts'

export interface StoredCheckpoint {
  readonly id: string
  readonly key: string
  readonly seq: number
}

/** Where checkpoints stand on the disk, behind the back of the store, which hides those that are ahead of their log. */
export function storedCheckpoints(dataFolder: string): StoredCheckpoint[] {
  return backendOf(dataFolder) === 'jsonl' ? inFiles(dataFolder) : inDatabase(dataFolder)
}

function inDatabase(dataFolder: string): StoredCheckpoint[] {
  const db = new Database(databaseFile(dataFolder), { readonly: true, fileMustExist: true })
  try {
    return db
      .prepare<[], StoredCheckpoint>(
        'SELECT s.id, r.key, r.seq FROM checkpoint_row r JOIN session s ON s.key = r.session_key',
      )
      .all()
  } finally {
    db.close()
  }
}

function inFiles(dataFolder: string): StoredCheckpoint[] {
  const root = sessionsFolder(dataFolder)
  const folders = new SessionFolders({ root, commit: new GroupCommit(), readOnly: true })
  return [...folders.all()].flatMap(entry =>
    (readCheckpoint(entry)?.rows ?? []).map(([key, , seq]) => ({ id: entry.id, key, seq })),
  )
}

import Database from 'better-sqlite3'
import type { Backend, BackendOptions } from '../backend.ts'
import { databaseFile } from '../data-folder.ts'
import { type OpenedDatabase, openDatabase } from './database.ts'
import { createLogSource } from './log-source.ts'
import { createMethods, type Methods } from './methods.ts'
import { warmUp } from './warm-up.ts'

/** @throws WorkbenchError `STORE_UNAVAILABLE` when the database cannot be opened. */
export function openSqliteBackend({ dataFolder, units, readOnly, ...hooks }: BackendOptions): Backend {
  const opened = openDatabase(databaseFile(dataFolder), { readOnly })
  const { db } = opened
  try {
    if (!opened.readOnly) refuseDamagedRecords(db)
    const methods = createMethods(db, units, hooks)
    warmUp(db, methods.reads, units)
    return backendOver(opened, methods)
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Every listing needs the table of sessions and its indexes: they are small, and one bad page of them would cost all.
 * What is wrong with a log costs that log.
 */
function refuseDamagedRecords(db: Database.Database): void {
  const [found] = db.prepare<[], string>(`PRAGMA quick_check('session')`).pluck().all()
  if (found !== undefined && found !== 'ok') throw new Database.SqliteError(found, 'SQLITE_CORRUPT')
}

function backendOver({ db, readOnly }: OpenedDatabase, methods: Methods): Backend {
  return {
    readOnly,
    methods,
    logSource: createLogSource(db),
    together: steps => {
      const takeAll = db.transaction(() =>
        steps.map(step => {
          const result = step()
          // The medium failed and SQLite gave up the whole transaction.
          if (!db.inTransaction) throw new Error('the transaction was rolled back')
          return result
        }),
      )
      return takeAll.immediate()
    },
    close: () => {
      db.close()
    },
  }
}

import type { Backend, BackendOptions } from '../backend.ts'
import { databaseFile } from '../data-folder.ts'
import { openDatabase } from './database.ts'
import { createMethods } from './methods.ts'
import { warmUp } from './warm-up.ts'

/** @throws WorkbenchError `STORE_UNAVAILABLE` when the database cannot be opened. */
export function openSqliteBackend({ dataFolder, units, readOnly }: BackendOptions): Backend {
  const opened = openDatabase(databaseFile(dataFolder), { readOnly })
  const { db } = opened
  const methods = createMethods(db, units)
  warmUp(db, methods.reads, units)
  return {
    readOnly: opened.readOnly,
    methods,
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

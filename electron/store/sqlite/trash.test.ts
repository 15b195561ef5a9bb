import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { databaseFile } from '../data-folder.ts'
import { childHeader, log, sessionHeader, user } from '../fixtures/logs.ts'
import { openStore, type Store } from '../store-client.ts'

const P = toSessionId('p')
const C = toSessionId('c')
let folder: string
let store: Store
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-trash-'))
  store = await openStore({ dataFolder: folder })
  await store.persistence.create(sessionHeader('p'), log([user('a'), user('SECRET-p')]))
  await store.persistence.create(childHeader('c', 'p'), log([user('b')]))
  await store.persistence.create(sessionHeader('other'), log([user('o')]))
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

/** Does something to the database while nobody has it open. */
async function tamper<T>(work: (db: Database.Database) => T): Promise<T> {
  await store.close()
  const db = new Database(databaseFile(folder))
  try {
    return work(db)
  } finally {
    db.close()
    store = await openStore({ dataFolder: folder })
  }
}

describe('the trash', () => {
  it('still lists and brings back what a rescue saved of a tree without its root', async () => {
    await store.persistence.trash(P)
    await tamper(db => {
      db.pragma('foreign_keys = OFF')
      db.exec("DELETE FROM session WHERE id = 'p'")
    })

    expect(await store.persistence.trashed()).toMatchObject([{ id: C, sessions: 1 }])
    expect(await store.persistence.restore(C)).toBe(1)
    expect(await store.persistence.get(C)).not.toBeNull()
  })

  it('lists nothing of a purge that a kill cut short, restores none of it, and the next start ends it', async () => {
    await store.outputs.append(C, 'call', 0, new Uint8Array([1, 2, 3]))
    await store.persistence.trash(P)
    await tamper(db => {
      db.exec("UPDATE session SET trashed_with = '~purged' WHERE trashed_with = 'p'")
      db.exec("DELETE FROM event WHERE session_key = (SELECT key FROM session WHERE id = 'p')")
    })

    expect(await store.persistence.trashed()).toEqual([])
    await expect(store.persistence.restore(P)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    await expect(store.persistence.purge(P)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    await store.persistence.finishPurges()

    const left = await tamper(db =>
      ['session', 'event', 'draft', 'lost_event', 'checkpoint', 'checkpoint_row', 'output', 'output_ref'].map(
        table => db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get(),
      ),
    )
    expect(left).toEqual([1, 1, 0, 0, 0, 0, 0, 0])
  })

  it('leaves nothing readable of what was deleted for good in the file', async () => {
    await store.persistence.trash(P)
    await store.persistence.purge(P)
    const found = await tamper(db => {
      db.pragma('wal_checkpoint(TRUNCATE)')
      return db.serialize().includes('SECRET-p')
    })
    expect(found).toBe(false)
  })

  it('knows a mark of an earlier version, and takes that one back alone', async () => {
    await tamper(db => db.exec("UPDATE session SET archived = 1 WHERE id IN ('p', 'other')"))
    expect(await store.persistence.archive(P, false)).toBe(1)
    expect(await store.persistence.get(toSessionId('other'))).toMatchObject({ archived: true })
  })
})

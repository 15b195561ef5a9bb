import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { openStore, type Store } from '../store-client.ts'
import { makeOldDatabase } from './make-old-database.contract.ts'
import { migrate, SCHEMA_VERSION, STEPS, schemaVersion } from './migrations.ts'

/** Databases as earlier versions left them; see `make-old-database.contract.ts`. */
function fixture(version: number): string {
  return new URL(`./fixtures/version-${version}.db`, import.meta.url).pathname
}

const EARLIER = Array.from({ length: SCHEMA_VERSION - 1 }, (_, index) => index + 1)
const TABLES = ['event', 'lost_event', 'draft', 'checkpoint', 'checkpoint_row']

let folder: string
let store: Store | null = null
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-migrate-'))
})
afterEach(async () => {
  await store?.close()
  store = null
  rmSync(folder, { recursive: true })
})

function rowsOf(file: string, table: string): unknown[] {
  const db = new Database(file, { readonly: true })
  try {
    return db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()
  } finally {
    db.close()
  }
}

test('there is a database of every version before this one: a new version needs one of the last', () => {
  expect(EARLIER.filter(version => !existsSync(fixture(version)))).toEqual([])
  for (const version of EARLIER) {
    const db = new Database(fixture(version), { readonly: true })
    expect(schemaVersion(db)).toBe(version)
    db.close()
  }
})

test('a released step is never edited: made anew, a database of that version has the same schema', () => {
  for (const version of EARLIER) {
    const file = join(folder, `version-${version}.db`)
    makeOldDatabase(version, file)
    const schemaOf = (path: string) => {
      const db = new Database(path, { readonly: true })
      try {
        return db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all()
      } finally {
        db.close()
      }
    }
    expect(schemaOf(file)).toEqual(schemaOf(fixture(version)))
  }
})

describe.each(EARLIER)('a database of version %i', version => {
  test('is backed up, brought up to date, and loses nothing', async () => {
    const file = join(folder, 'espalier.db')
    copyFileSync(fixture(version), file)
    store = await openStore({ dataFolder: folder })
    expect(store.opening).toMatchObject({ migratedFrom: version })
    await store.close()

    for (const table of [...TABLES, 'session'])
      expect(rowsOf(file, table)).toEqual(rowsOf(fixture(version), table))
    const [backup] = readdirSync(join(folder, 'backups'))
    expect(backup).toMatch(/-migration\.db$/)
    const kept = join(folder, 'backups', backup ?? '')
    for (const table of [...TABLES, 'session'])
      expect(rowsOf(kept, table)).toEqual(rowsOf(fixture(version), table))
    const db = new Database(kept, { readonly: true })
    expect(schemaVersion(db)).toBe(version)
    db.close()

    // The second start has nothing to do.
    store = await openStore({ dataFolder: folder })
    expect(store.opening).toEqual({})
    expect(readdirSync(join(folder, 'backups'))).toHaveLength(1)
  })

  test('shows its sessions as they were: the tree, the damaged one, what was interrupted, what is in the trash', async () => {
    copyFileSync(fixture(version), join(folder, 'espalier.db'))
    store = await openStore({ dataFolder: folder })
    const { persistence, checkpoints } = store
    const { sessions, unreadable } = await persistence.list({ kind: 'all' })
    expect(unreadable).toEqual([])
    expect(sessions.map(({ header }) => header.id).toSorted()).toEqual(
      ['child', 'damaged', 'grandchild', 'interrupted', 'root'].toSorted(),
    )
    expect((await persistence.inspect(toSessionId('damaged'))).damage).toEqual([
      { kind: 'log-gap', fromSeq: 3, toSeq: 3 },
    ])
    expect((await persistence.inspect(toSessionId('interrupted'))).closers).toBeGreaterThan(0)
    expect(await checkpoints.read([toSessionId('root')], ['title'])).toMatchObject([
      { values: { title: 'Session root' } },
    ])
    await persistence.restore(toSessionId('trashed'))
    expect(await persistence.get(toSessionId('trashed'))).not.toBeNull()
    expect((await persistence.check()).join()).toMatch(/^Session damaged .*lacks 1 event \(3\)[^.]*\.$/)
  })
})

test('a database that cannot be backed up before is not touched', async () => {
  const file = join(folder, 'espalier.db')
  copyFileSync(fixture(1), file)
  writeFileSync(join(folder, 'backups'), 'in the way')
  await expect(openStore({ dataFolder: folder })).rejects.toThrow()
  const db = new Database(file, { readonly: true })
  expect(schemaVersion(db)).toBe(1)
  db.close()
})

test('a step that fails half-way leaves the version before it, whole', () => {
  const file = join(folder, 'espalier.db')
  copyFileSync(fixture(1), file)
  const db = new Database(file)
  const failing = [
    ...STEPS.slice(0, 2),
    'CREATE TABLE half (a); INSERT INTO half VALUES (1); SELECT * FROM nowhere;',
  ]
  expect(() => migrate(db, failing)).toThrow('nowhere')
  expect(schemaVersion(db)).toBe(2)
  expect(db.prepare(`SELECT name FROM sqlite_schema WHERE name IN ('half', 'meta')`).pluck().all()).toEqual([
    'meta',
  ])
  migrate(db)
  expect(schemaVersion(db)).toBe(SCHEMA_VERSION)
  db.close()
})

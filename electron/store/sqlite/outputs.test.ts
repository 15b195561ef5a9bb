import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { databaseFile } from '../data-folder.ts'
import { finishedTurn, log, sessionHeader } from '../fixtures/logs.ts'
import { outputContract } from '../output-store.contract.ts'
import { openStore, type Store } from '../store-client.ts'
import { LogTable } from './log-table.ts'
import { Outputs } from './outputs.ts'

outputContract('SQLite', dataFolder => openStore({ dataFolder }))

describe('outputs in SQLite', () => {
  const S = toSessionId('s')
  let folder: string
  let store: Store
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'espalier-sqlite-outputs-'))
    store = await openStore({ dataFolder: folder })
    await store.persistence.create(sessionHeader('s'), log(finishedTurn))
  })
  afterEach(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })

  const edit = <T>(change: (db: Database.Database) => T): T => {
    const db = new Database(databaseFile(folder))
    try {
      return change(db)
    } finally {
      db.close()
    }
  }
  const counts = () =>
    edit(db =>
      db
        .prepare<[], number>(
          `SELECT count(*) FROM output UNION ALL SELECT count(*) FROM output_part
           UNION ALL SELECT count(*) FROM output_ref`,
        )
        .pluck()
        .all(),
    )

  test('a session that goes takes its outputs along, but not those that a fork has too', async () => {
    const call = ['tool/call', { turn: 1, step: 1, callId: 'shared', name: 'shell', input: {} }] as const
    const seed = log([...finishedTurn, call])
    await store.outputs.append(S, 'shared', 0, new Uint8Array(10))
    await store.outputs.append(S, 'own', 0, new Uint8Array(10))
    await store.persistence.create(sessionHeader('fork', { parentSession: S, seedLength: seed.length }), seed)
    const drop = (id: string) =>
      edit(db => {
        const table = new LogTable(db)
        db.transaction(() => new Outputs(db, table).dropOutputs(table.keyOf(id))).immediate()
      })
    expect(counts()).toEqual([2, 2, 3])

    drop('s')
    expect(counts()).toEqual([1, 1, 1])
    expect((await store.outputs.read(toSessionId('fork'), 'shared', { from: 0, length: 99 }))?.size).toBe(10)

    drop('fork')
    expect(counts()).toEqual([0, 0, 0])
  })

  test('a part that is lost costs its own bytes only, and is never made up', async () => {
    for (const from of [0, 3, 6]) await store.outputs.append(S, 'a', from, new Uint8Array(3).fill(65 + from))
    edit(db => db.exec('DELETE FROM output_part WHERE start = 3'))
    const read = async (from: number) => [
      ...((await store.outputs.read(S, 'a', { from, length: 5 }))?.bytes ?? []),
    ]

    expect(await read(1)).toEqual([65, 65])
    expect(await read(6)).toEqual([71, 71, 71])
    for (const from of [3, 5]) await expect(read(from)).rejects.toMatchObject({ code: 'SESSION_DAMAGED' })
    await expect(store.outputs.append(S, 'a', 9, new Uint8Array(1))).resolves.toBeUndefined()
  })

  test('reading costs what is read: one part, by index', () => {
    const plan = edit(db =>
      db
        .prepare<[], { detail: string }>(
          `EXPLAIN QUERY PLAN SELECT start, bytes FROM output_part WHERE output_key = 1 AND start < 9 AND start >= coalesce(
             (SELECT max(start) FROM output_part WHERE output_key = 1 AND start <= 5), 0) ORDER BY start`,
        )
        .all(),
    )

    expect(
      plan.map(({ detail }) => detail).filter(detail => /SCAN output_part|TEMP B-TREE/.test(detail)),
    ).toEqual([])
  })
})

import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { finishedTurn, log, sessionHeader } from '../fixtures/logs.ts'
import { openStore } from '../store-client.ts'
import { edit, fileOf, flipPage, leavesOf } from './fixtures/damage.ts'
import { repairFolder } from './repair.ts'
import { runFileTask } from './run-file-task.ts'

let folder: string
const LENGTH = finishedTurn.length * 2
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-repair-'))
  const store = await openStore({ dataFolder: folder })
  for (const id of ['whole', 'gap', 'tail', 'long', 'ahead']) {
    await store.persistence.create(sessionHeader(id), log([...finishedTurn, ...finishedTurn]))
  }
  await store.close()
})
afterEach(() => rmSync(folder, { recursive: true }))

const of = (id: string) => `session_key = (SELECT key FROM session WHERE id = '${id}')`
const check = () => runFileTask('check', { dataFolder: folder })

test('puts right what can be, says what it did, keeps the old one and a backup, and leaves a gap readable', async () => {
  edit(
    folder,
    `DELETE FROM event WHERE ${of('gap')} AND seq = 3`,
    `DELETE FROM event WHERE ${of('tail')} AND seq >= ${LENGTH - 2}`,
    `UPDATE session SET end_seq = 4 WHERE id = 'long'`,
    `INSERT INTO checkpoint SELECT key, '', '[]' FROM session WHERE id = 'ahead'`,
    `INSERT INTO checkpoint_row SELECT key, 'title', 1, 99, '{}' FROM session WHERE id = 'ahead'`,
    `INSERT INTO draft (session_key, data) VALUES (77, '{}')`,
  )
  const found = await check()
  expect(found).toHaveLength(5)

  const done = await repairFolder(folder, found)
  expect(done.join('\n')).toMatch(/Backed up as espalier-.*-before-repair\.db/)
  expect(done.join('\n')).toMatch(
    /Session tail ends at its last readable event; the 2 events behind it were lost/,
  )
  expect(await check()).toEqual([expect.stringMatching(/Session gap .*lacks 1 event \(3\)/)])
  expect(readdirSync(join(folder, 'backups'))).toHaveLength(1)
  expect(readdirSync(join(folder, 'damaged'))).toHaveLength(2)

  const store = await openStore({ dataFolder: folder })
  const { persistence } = store
  expect((await persistence.inspect(toSessionId('gap'))).damage).toEqual([
    { kind: 'log-gap', fromSeq: 3, toSeq: 3 },
  ])
  await expect(persistence.load(toSessionId('gap'))).rejects.toMatchObject({ code: 'SESSION_DAMAGED' })
  expect((await persistence.get(toSessionId('tail')))?.endSeq).toBe(LENGTH - 2)
  expect((await persistence.get(toSessionId('long')))?.endSeq).toBe(LENGTH)
  for (const id of ['whole', 'long', 'ahead']) {
    expect((await persistence.inspect(toSessionId(id))).events).toHaveLength(LENGTH)
  }
  await store.close()
})

test('builds broken indexes anew, also where the database is too damaged to be backed up', async () => {
  flipPage(folder, leavesOf(folder, 'event_turn')[0] ?? 0)
  const found = await check()
  expect(found.join('\n')).toMatch(/damaged|cannot all be read/)
  const done = await repairFolder(folder, found)
  expect(done).toContain('Saved 5 sessions, 5 of them whole.')
  expect(await check()).toEqual([])
  const db = new Database(fileOf(folder), { readonly: true })
  expect(db.prepare('SELECT count(*) FROM event').pluck().get()).toBe(5 * LENGTH)
  db.close()
})

test('closes what is open to others, and touches nothing else when that is all', async () => {
  chmodSync(fileOf(folder), 0o644)
  const before = statSync(fileOf(folder)).mtimeMs
  const sentence = `Other users of this machine can read ${fileOf(folder)}.`
  expect(await repairFolder(folder, [sentence])).toEqual([`Closed ${fileOf(folder)} to other users.`])
  expect(statSync(fileOf(folder)).mode & 0o777).toBe(0o600)
  expect(statSync(fileOf(folder)).mtimeMs).toBe(before)
  expect(readdirSync(folder)).not.toContain('damaged')
})

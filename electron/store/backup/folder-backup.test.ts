import { mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { finishedTurn, log, sessionHeader, user } from '../fixtures/logs.ts'
import { sessionsFolder } from '../jsonl/format.ts'
import { makeSessionsFolder } from '../jsonl/make-format.ts'
import { openStore, type Store } from '../store-client.ts'
import { createBackups } from './backups.ts'
import { nextSessions } from './folder-backup.ts'
import { backupName } from './places.ts'
import { commitRestore, prepareRestore, undoRestore } from './restore.ts'

const S = toSessionId('s')
let folder: string
let store: Store
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-files-'))
  makeSessionsFolder(sessionsFolder(folder), 'text')
  store = await openStore({ dataFolder: folder })
  await store.persistence.create(sessionHeader('s'), log(finishedTurn))
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

async function ids(): Promise<string[]> {
  store = await openStore({ dataFolder: folder })
  return (await store.persistence.list({ kind: 'all' })).sessions.map(({ header }) => header.id).toSorted()
}

test('sessions in files are backed up as files, and restored from them; what was there is kept', async () => {
  const made = await createBackups(folder).create('manual')
  expect(made).toMatchObject({ reason: 'manual', sessions: 1 })
  expect(statSync(join(folder, 'backups', made.name)).mode & 0o777).toBe(0o700)
  expect(await createBackups(folder).list()).toEqual([made])
  const events = log([user('later')], finishedTurn.length)
  await store.persistence.append([{ sessionId: S, expectedSeq: finishedTurn.length, events }])
  await store.persistence.create(sessionHeader('later'), log(finishedTurn))
  await store.close()

  expect(await prepareRestore(folder, made.name)).toBe(1)
  const kept = commitRestore(folder)
  expect(await ids()).toEqual(['s'])
  expect((await store.persistence.inspect(S)).events).toHaveLength(finishedTurn.length)
  await store.close()

  undoRestore(folder, kept)
  expect(await ids()).toEqual(['later', 's'])
  expect((await store.persistence.inspect(S)).events).toHaveLength(finishedTurn.length + 1)
})

test('a restore that was cut short is brought to its end by the next start', async () => {
  const { name } = await createBackups(folder).create('manual')
  await store.persistence.create(sessionHeader('later'), log(finishedTurn))
  await store.close()
  await prepareRestore(folder, name)
  const kept = backupName(Date.now(), 'before-restore', '')
  renameSync(nextSessions(folder), join(folder, `next.sessions.${kept}`))
  renameSync(sessionsFolder(folder), join(folder, 'backups', kept))
  expect(await ids()).toEqual(['s'])
  expect(readdirSync(join(folder, 'backups')).toSorted()).toEqual([name, kept].toSorted())
})

test('a backup of a database is refused where sessions are kept in files', async () => {
  await createBackups(folder).create('manual')
  const other = backupName(Date.now(), 'manual')
  renameSync(
    join(folder, 'backups', readdirSync(join(folder, 'backups'))[0] ?? ''),
    join(folder, 'backups', other),
  )
  await expect(prepareRestore(folder, other)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('espalier migrate'),
  })
})

import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { finishedTurn, log, sessionHeader, user } from '../fixtures/logs.ts'
import { openStore, type Store } from '../store-client.ts'
import { createBackups } from './backups.ts'
import { flipPage, leavesOf } from './fixtures/damage.ts'
import { BACKUP_REASONS, backupName, readBackupName } from './places.ts'
import { commitRestore, prepareRestore, undoRestore } from './restore.ts'
import { isDailyDue, outdated } from './retention.ts'
import { finishSwap, nextDatabase } from './swap.ts'
import { writeNote } from './swap-note.ts'

const S = toSessionId('s')
const DAY = 86_400_000
let folder: string
let store: Store
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-backup-'))
  store = await openStore({ dataFolder: folder })
  await store.persistence.create(sessionHeader('s'), log(finishedTurn))
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

describe('names and numbers', () => {
  test('a name says when and why, and nothing else is taken for one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4_102_444_800_000 }),
        fc.constantFrom(...BACKUP_REASONS),
        (at, reason) => {
          const name = backupName(at, reason)
          expect(readBackupName(name)).toEqual({ name, at, reason })
        },
      ),
    )
    for (const name of [
      'espalier.db',
      'espalier-20261130T151200000Z-daily.db.partial',
      'notes.txt',
      '..',
      '',
    ]) {
      expect(readBackupName(name)).toBeNull()
    }
  })

  test('seven of what is made by itself are kept, and everything a person asked for', () => {
    const made = (reason: (typeof BACKUP_REASONS)[number], count: number) =>
      Array.from({ length: count }, (_, day) => ({ name: `${reason} ${day}`, at: day * DAY, reason }))
    const all = [
      ...made('daily', 9),
      ...made('manual', 20),
      ...made('migration', 8),
      ...made('before-restore', 9),
    ]
    expect(outdated(all).toSorted()).toEqual(['daily 0', 'daily 1', 'migration 0'])
  })

  test('the last one from before damage was put aside is kept, however old', () => {
    const days = Array.from({ length: 20 }, (_, day) => ({
      name: `${day}`,
      at: day * DAY,
      reason: 'daily' as const,
    }))
    const gone = outdated(days, [5 * DAY + 1, 18 * DAY])
    expect(gone).not.toContain('5')
    expect(days.length - gone.length).toBe(8)
  })

  test('one is due when the newest is a day old, also after the clock was set back', () => {
    const at = 100 * DAY
    const made = (when: number) => [{ name: 'x', at: when, reason: 'daily' as const }]
    expect(isDailyDue([], at)).toBe(true)
    expect(isDailyDue(made(at - DAY), at)).toBe(true)
    expect(isDailyDue(made(at - DAY + 1), at)).toBe(false)
    expect(isDailyDue(made(at + DAY), at)).toBe(true)
  })
})

describe('a backup', () => {
  test('holds what was durable, is one private file that was read, and is listed with what it holds', async () => {
    const backups = createBackups(folder)
    const made = await backups.create('manual')
    expect(readdirSync(join(folder, 'backups'))).toEqual([made.name])
    expect(statSync(join(folder, 'backups', made.name)).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'backups')).mode & 0o777).toBe(0o700)
    expect(await backups.list()).toEqual([made])
    expect(made).toMatchObject({ reason: 'manual', sessions: 1 })
    const db = new Database(join(folder, 'backups', made.name), { readonly: true })
    expect(db.prepare('SELECT count(*) FROM event').pluck().get()).toBe(finishedTurn.length)
    db.close()
  })

  test('keeps no append waiting, and takes in a whole number of transactions', async () => {
    const backups = createBackups(folder)
    let seq = finishedTurn.length
    let isWriting = true
    const writing = (async () => {
      while (isWriting) {
        const events = log([user('a'.repeat(2000)), user('b')], seq)
        expect(await store.persistence.append([{ sessionId: S, expectedSeq: seq, events }])).toEqual([
          'written',
        ])
        seq += 2
      }
    })()
    const names = await Promise.all([backups.create('manual'), backups.create('daily')])
    isWriting = false
    await writing
    for (const { name } of names) {
      const db = new Database(join(folder, 'backups', name), { readonly: true })
      const [count, last, stated] = db
        .prepare<[], [number, number, number]>(
          'SELECT count(*), max(seq), (SELECT end_seq FROM session) FROM event',
        )
        .raw()
        .get() ?? [0, 0, 0]
      db.close()
      expect([last, stated]).toEqual([count - 1, count])
      expect((count - finishedTurn.length) % 2).toBe(0)
    }
    expect((await store.persistence.get(S))?.endSeq).toBe(seq)
  })

  test('that is broken off by the end of Espalier leaves no backup, and what it left goes with the next', async () => {
    const ending = createBackups(folder)
    const broken = ending.create('daily')
    const told = expect(broken).rejects.toMatchObject({ code: 'CANCELLED' })
    await Promise.all([ending.stop(), told])
    expect(await ending.list()).toEqual([])
    writeFileSync(join(folder, 'backups', `${backupName(1, 'daily')}.partial`), 'half')
    const { name } = await createBackups(folder).create('daily')
    expect(readdirSync(join(folder, 'backups'))).toEqual([name])
  })

  test('that cannot be written says why, and leaves nothing of itself', async () => {
    writeFileSync(join(folder, 'backups'), 'in the way')
    await expect(createBackups(folder).create('daily')).rejects.toThrow()
    rmSync(join(folder, 'backups'))
    mkdirSync(join(folder, 'backups'))
    expect((await createBackups(folder).create('daily')).sessions).toBe(1)
  })

  test('of a damaged database is refused: it must not push sound ones out', async () => {
    for (let turn = 0; turn < 30; turn += 1) {
      await store.persistence.create(
        sessionHeader(`s${turn}`),
        log([...finishedTurn, user('x'.repeat(3000))]),
      )
    }
    await store.close()
    flipPage(folder, leavesOf(folder, 'event')[3] ?? 0)
    store = await openStore({ dataFolder: folder })
    await expect(createBackups(folder).create('daily')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(readdirSync(join(folder, 'backups'))).toEqual([])
  })
})

describe('a restore', () => {
  async function changed(): Promise<string> {
    const { name } = await createBackups(folder).create('manual')
    await store.persistence.create(sessionHeader('later'), log(finishedTurn))
    await store.close()
    return name
  }

  async function ids(): Promise<string[]> {
    store = await openStore({ dataFolder: folder })
    return (await store.persistence.list({ kind: 'all' })).sessions.map(({ header }) => header.id)
  }

  test('brings back what was there then, and keeps what was there now as a backup that can be restored', async () => {
    const name = await changed()
    expect(await prepareRestore(folder, name)).toBe(1)
    const kept = commitRestore(folder)
    expect(kept).toMatchObject({ folder: 'backups' })
    expect(await ids()).toEqual(['s'])
    await store.close()

    await prepareRestore(folder, kept?.name ?? '')
    commitRestore(folder)
    expect((await ids()).toSorted()).toEqual(['later', 's'])
    expect(await store.persistence.check()).toEqual([])
  })

  test('of a backup that is not sound, or that is not there, changes nothing', async () => {
    const name = await changed()
    writeFileSync(join(folder, 'backups', name), 'no database')
    await expect(prepareRestore(folder, name)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await expect(prepareRestore(folder, '../espalier.db')).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    expect((await ids()).toSorted()).toEqual(['later', 's'])
    expect(readdirSync(folder).filter(file => file.startsWith('next'))).toEqual([])
  })

  test('can be taken back', async () => {
    const name = await changed()
    await prepareRestore(folder, name)
    undoRestore(folder, commitRestore(folder))
    expect((await ids()).toSorted()).toEqual(['later', 's'])
    expect(readdirSync(join(folder, 'damaged'))).toEqual([expect.stringMatching(/-restored\.db$/)])
  })

  test.each([
    ['before it was decided', 0, ['later', 's']],
    ['when it was decided', 1, ['s']],
    ['when the WAL was moved', 2, ['s']],
    ['when the old one was moved', 3, ['s']],
  ])('that was cut short %s leaves one of them, whole', async (_, step, expected) => {
    const name = await changed()
    await prepareRestore(folder, name)
    const { renameSync } = await import('node:fs')
    const aside = { folder: 'backups', name: backupName(Date.now(), 'before-restore') } as const
    writeNote(folder, aside)
    if (step >= 1) renameSync(nextDatabase(folder), join(folder, 'next.db'))
    if (step >= 3) renameSync(join(folder, 'espalier.db'), join(folder, 'backups', aside.name))
    expect((await ids()).toSorted()).toEqual(expected)
    const kept = readdirSync(join(folder, 'backups')).filter(file => file.includes('before-restore'))
    expect(kept).toEqual(step === 0 ? [] : [aside.name])
    finishSwap(folder)
  })
})

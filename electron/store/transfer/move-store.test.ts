import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Fold } from '#shared/projection/fold.ts'
import { UNITS } from '#shared/projection/units.ts'
import { lifecycleFacts } from '#shared/session/header.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { backupFolder } from '../backup/places.ts'
import { databaseFile } from '../data-folder.ts'
import { checkpointText } from '../encode.ts'
import { type DirectStore, directStore, encoded } from '../fixtures/direct-store.ts'
import { childHeader, finishedTurn, log, openTurn, sessionHeader, user } from '../fixtures/logs.ts'
import { sessionsFolder } from '../jsonl/format.ts'
import { backendOf, openBackend } from '../open-backend.ts'
import { compareStores, Difference } from './compare.ts'
import { JsonlSource } from './jsonl-source.ts'
import { moveStore } from './move-store.ts'
import { SqliteSource } from './sqlite-source.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-move-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const move = (to: 'jsonl' | 'sqlite', encoding: 'text' | 'zstd' = 'text') =>
  moveStore({ dataFolder: folder, to, encoding })
const IDS = ['root', 'child', 'fork', 'trashed', 'open', 'empty', 'Shelved'].map(toSessionId)

async function withStore<T>(work: (ask: DirectStore) => T): Promise<T> {
  const backend = await openBackend({ dataFolder: folder, units: UNITS, readOnly: false })
  try {
    return work(directStore(backend))
  } finally {
    backend.close()
  }
}

function edit(...statements: string[]): void {
  const db = new Database(databaseFile(folder))
  for (const statement of statements) db.exec(statement)
  db.close()
}

/** A tree with everything in it that a session can have. */
function fill(ask: DirectStore): void {
  const create = (header: ReturnType<typeof sessionHeader>, items: Parameters<typeof log>[0]) =>
    ask('create', header, encoded(log(items)))
  create(sessionHeader('root', { cwd: '/wörk', preset: 'coder' }), [...finishedTurn, ...openTurn])
  ask(
    'appendOutput',
    'root',
    'c1',
    0,
    Uint8Array.from({ length: 700_000 }, (_, index) => index % 251),
  )
  ask('appendOutput', 'root', 'an id/that is no name', 0, new Uint8Array([1, 2, 3]))
  create(childHeader('child', 'root', { seedLength: 2 }), [
    ...finishedTurn,
    user('ünï \u2028 🪴'),
    ['todo/write', 'y'.repeat(90_000)],
  ])
  create(sessionHeader('fork', { parentSession: toSessionId('root'), seedLength: 11 }), [
    ...finishedTurn,
    ...openTurn,
  ])
  create(sessionHeader('trashed'), finishedTurn)
  create(childHeader('below', 'trashed'), finishedTurn)
  create(sessionHeader('open'), openTurn)
  create(sessionHeader('empty'), [])
  create(sessionHeader('Shelved'), [['todo/write', [1e21, -1.5, null]]])
  for (const id of ['root', 'child']) {
    const { header, events, closers } = ask('inspect', id)
    const fold = new Fold(UNITS, header)
    for (const event of events.slice(0, events.length - closers)) fold.apply(event)
    ask('writeCheckpoints', [
      checkpointText({
        sessionId: header.id,
        facts: lifecycleFacts(header),
        faults: ['x'],
        rows: fold.checkpoint(),
      }),
    ])
  }
  ask('saveDrafts', [{ sessionId: 'open', text: '{"id":"d"}' }])
  ask('trash', 'trashed')
  ask('archive', 'Shelved', true)
  ask('commitLoad', 'open', ask('planLoad', 'open'))
  ask('saveDrafts', [
    { sessionId: 'root', text: JSON.stringify({ id: 'd', turn: 1, step: 1, content: [], model: null }) },
  ])
  ask('noteCaughtUp')
}

/** Not the time of an event that is lost: only a record of its own could know it. */
function known(ask: DirectStore): unknown {
  const { sessions, unreadable } = ask('list', { kind: 'all' })
  return [
    sessions.map(({ lastActivity: _, ...session }) => session),
    unreadable.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
  ]
}

/** All that can be asked: what a person would notice. */
function everything(ask: DirectStore): unknown {
  return {
    lists: [
      ask('list', { kind: 'all' }),
      ask('list', { kind: 'tree', root: toSessionId('root') }),
      ask('trashed'),
    ],
    sessions: IDS.filter(id => id !== 'trashed').map(id => [
      ask('get', id),
      ask('inspect', id),
      ask('revision', id),
      ask('listOutputs', id),
    ]),
    checkpoints: ask(
      'readCheckpoints',
      IDS,
      UNITS.map(({ key }) => key),
    ).sessions.toSorted((one, other) => (one.sessionId < other.sessionId ? -1 : 1)),
    behind: ask('behindCheckpoints').toSorted(),
  }
}

describe('a data folder', () => {
  test.each(['text', 'zstd'] as const)(
    'moves into files as %s and back without losing anything',
    async encoding => {
      const before = await withStore(ask => {
        fill(ask)
        return everything(ask)
      })
      const original = readFileSync(databaseFile(folder))

      const there = await move('jsonl', encoding)
      expect(there).toMatchObject({ sessions: 8, outputs: 3, left: [] })
      expect(backendOf(folder)).toBe('jsonl')
      expect(existsSync(databaseFile(folder))).toBe(false)
      expect(readFileSync(join(there?.backup ?? '', 'espalier.db')).length).toBe(original.length)
      expect(await withStore(everything)).toEqual(before)
      const log = encoding === 'text' ? 'log.jsonl' : 'log.jsonl.zst'
      expect(existsSync(join(sessionsFolder(folder), 'child', log))).toBe(true)

      const back = await move('sqlite')
      expect(back).toMatchObject({ sessions: 8, events: there?.events, outputs: 3, left: [] })
      expect(backendOf(folder)).toBe('sqlite')
      expect(existsSync(sessionsFolder(folder))).toBe(false)
      expect(existsSync(join(back?.backup ?? '', 'sessions', 'format.json'))).toBe(true)
      expect(await withStore(everything)).toEqual(before)
      expect(await withStore(ask => ask('check'))).toEqual([])
      // The very rows, whatever way they went.
      const first = new SqliteSource(join(there?.backup ?? '', 'espalier.db'))
      const last = new SqliteSource(databaseFile(folder))
      expect(compareStores(first, last)).toMatchObject({ sessions: 8 })
      expect(compareStores(last, first)).toMatchObject({ sessions: 8 })
      first.close()
      last.close()
      expect(
        await withStore(ask => [
          ask('restore', 'trashed'),
          ask('archive', 'Shelved', false),
          ask('restore', 'below'),
        ]),
      ).toEqual([2, 1, 0])
    },
  )

  test('that is kept that way already is left as it is', async () => {
    await withStore(fill)
    expect(await move('sqlite')).toBeNull()
    await move('jsonl')
    const before = readdirSync(folder).toSorted()
    expect(await move('jsonl', 'zstd')).toBeNull()
    expect(readdirSync(folder).toSorted()).toEqual(before)
    await withStore(ask => ask('create', sessionHeader('new'), encoded(log(finishedTurn))))
    expect(existsSync(join(sessionsFolder(folder), 'new', 'log.jsonl.zst'))).toBe(true)
  })

  test('without a session becomes an empty folder of files', async () => {
    expect(await move('jsonl')).toMatchObject({ sessions: 0, events: 0 })
    expect(await withStore(ask => ask('list', { kind: 'all' }))).toEqual({ sessions: [], unreadable: [] })
  })
})

describe('damage', () => {
  test('of a database goes with it into files and back: gaps, broken rows, lost ends, what was cut off', async () => {
    await withStore(fill)
    const key = (id: string) => `(SELECT key FROM session WHERE id = '${id}')`
    edit(
      `DELETE FROM event WHERE session_key = ${key('root')} AND seq IN (2, 3)`,
      `UPDATE event SET data = '{"turn":' || char(10) WHERE session_key = ${key('root')} AND seq = 5`,
      `UPDATE event SET data = x'ff00fe' WHERE session_key = ${key('root')} AND seq = 6`,
      `UPDATE event SET time = 'yesterday', ignorable = 1 WHERE session_key = ${key('root')} AND seq = 7`,
      `UPDATE event SET data = ' { "a" :' || char(10) || ' 1 } ' WHERE session_key = ${key('root')} AND seq = 8`,
      `DELETE FROM event WHERE session_key = ${key('child')} AND seq > 3`,
      `UPDATE session SET version = 2 WHERE id = 'fork'`,
      `UPDATE session SET created_at = 'once', origin = 'robot' WHERE id = 'open'`,
      `INSERT INTO lost_event SELECT key, 7, 'x', NULL, x'00ff', NULL, 1700 FROM session WHERE id = 'open'`,
      `INSERT INTO lost_event SELECT key, 8, 5, 'x', '{', 1, 1700 FROM session WHERE id = 'open'`,
      `UPDATE checkpoint SET faults = '{' WHERE session_key = ${key('child')}`,
      `UPDATE session SET cuts = 3, archived = 1 WHERE id = 'child'`,
    )
    const look = (ask: DirectStore) => [
      known(ask),
      ask('inspect', 'root'),
      ask('inspect', 'child'),
      ask('revision', 'child'),
      ask('page', 'root', null, 100, false),
      ask('raw', 'fork', 0, 100),
      ask('raw', 'root', 7, 1),
    ]
    const before = await withStore(look)
    const there = await move('jsonl')
    expect(there?.left).toEqual([])
    expect(await withStore(look)).toEqual(before)
    expect(
      readFileSync(join(sessionsFolder(folder), 'open', 'lost-1700.jsonl'), 'utf8').split('\n'),
    ).toHaveLength(3)
    await move('sqlite')
    expect(await withStore(look)).toEqual(before)
    const first = new SqliteSource(join(there?.backup ?? '', 'espalier.db'))
    const last = new SqliteSource(databaseFile(folder))
    expect(compareStores(first, last)).toMatchObject({ sessions: 8 })
    first.close()
    last.close()
  })

  test('of files goes with them into a database and back: broken lines, torn ends, fragments', async () => {
    await move('jsonl')
    await withStore(fill)
    const inRoot = (name: string) => join(sessionsFolder(folder), 'root', name)
    const lines = readFileSync(inRoot('log.jsonl'), 'utf8').split('\n')
    lines[3] = '{"turn":'
    lines[4] = '42'
    lines[5] = '{"seq":5,"time":1,"type":"x","data":{]}'
    lines.splice(6, 1)
    writeFileSync(
      inRoot('log.jsonl'),
      Buffer.concat([Buffer.from(lines.join('\n')), Buffer.from('{"seq":11,"ti')]),
    )
    writeFileSync(inRoot('torn-1'), Buffer.from([0xff, 1, 2]))
    const look = (ask: DirectStore) => [
      ask('list', { kind: 'all' }),
      ask('inspect', 'root'),
      ask('page', 'root', null, 100, false),
      ask('raw', 'root', 3, 2),
    ]
    const before = await withStore(look)
    const whole = readFileSync(inRoot('log.jsonl'), 'utf8')
    expect(await move('sqlite')).toMatchObject({ left: [] })
    expect(await withStore(look)).toEqual(before)
    await move('jsonl')
    expect(await withStore(look)).toEqual(before)
    expect(readFileSync(inRoot('log.jsonl'), 'utf8').split('\n').slice(0, 6)).toEqual(
      whole.split('\n').slice(0, 6),
    )
    expect(readFileSync(inRoot('torn-1'))).toEqual(Buffer.from([0xff, 1, 2]))
    expect(readFileSync(inRoot('torn-2'), 'utf8')).toBe('{"seq":11,"ti')
  })

  test('that no other place can keep stays where the old data is, and is named', async () => {
    await move('jsonl')
    await withStore(fill)
    rmSync(join(sessionsFolder(folder), 'fork', 'log.jsonl'))
    writeFileSync(
      join(sessionsFolder(folder), 'open', 'session.json'),
      '{"version":1,"id":"open","createdAt":1,"kind":"x"}',
    )
    const report = await move('sqlite')
    expect(report).toMatchObject({ sessions: 6 })
    expect(report?.left).toEqual([
      expect.stringMatching(/fork.*missing/),
      expect.stringMatching(/open.*kind/),
    ])
    expect(existsSync(join(report?.backup ?? '', 'sessions', 'open', 'log.jsonl'))).toBe(true)
  })
})

describe('an end in the middle', () => {
  test('leaves the old data in use, and it can be begun anew', async () => {
    const before = await withStore(ask => {
      fill(ask)
      return everything(ask)
    })
    // What a kill leaves: a half-made folder beside the database.
    mkdirSync(join(folder, 'sessions.new', 'root'), { recursive: true })
    writeFileSync(join(folder, 'sessions.new', 'root', 'session.json'), '{')
    expect(await withStore(everything)).toEqual(before)
    expect(await move('jsonl')).toMatchObject({ sessions: 8 })
    // And one between the renames of the way back: both are there, the files are used.
    const database = join(
      readdirSync(backupFolder(folder)).map(name => join(backupFolder(folder), name))[0] ?? '',
      'espalier.db',
    )
    cpSync(database, databaseFile(folder))
    writeFileSync(`${databaseFile(folder)}.new`, 'half a database')
    expect(await withStore(everything)).toEqual(before)
    expect(await move('sqlite')).toMatchObject({ sessions: 8 })
    expect(await withStore(everything)).toEqual(before)
    expect(readdirSync(folder).filter(name => /new|-wal/.test(name))).toEqual([])
  })

  test('because what was made is not the same changes nothing', async () => {
    await withStore(fill)
    await move('jsonl')
    const one = new JsonlSource(sessionsFolder(folder))
    const copy = join(folder, 'copy')
    cpSync(sessionsFolder(folder), copy, { recursive: true })
    const inCopy = (name: string) => join(copy, 'child', name)
    const changes: (() => void)[] = [
      () => appendFileSync(inCopy('log.jsonl'), '{"seq":8,"time":1,"type":"x","data":1}\n'),
      () =>
        writeFileSync(
          inCopy('log.jsonl'),
          readFileSync(inCopy('log.jsonl'), 'utf8').replace('hello', 'hallo'),
        ),
      () =>
        writeFileSync(
          inCopy('session.json'),
          readFileSync(inCopy('session.json'), 'utf8').replace('1000', '1001'),
        ),
      () => writeFileSync(inCopy('draft.json'), 'x'),
      () => writeFileSync(inCopy('torn-1'), 'x'),
      () => rmSync(inCopy('checkpoint.json')),
      () => rmSync(join(copy, 'child'), { recursive: true }),
      () => writeFileSync(join(copy, 'marks.json'), '{}'),
      () => appendFileSync(join(copy, 'root', 'outputs', 'c1'), 'x'),
    ]
    for (const change of changes) {
      rmSync(copy, { recursive: true })
      cpSync(sessionsFolder(folder), copy, { recursive: true })
      expect(compareStores(one, new JsonlSource(copy)).sessions).toBe(8)
      change()
      expect(() => compareStores(one, new JsonlSource(copy)), String(change)).toThrow(Difference)
      expect(() => compareStores(new JsonlSource(copy), one), String(change)).toThrow(Difference)
    }
  })
})

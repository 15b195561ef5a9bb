import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lifecycleFacts } from '#shared/session/header.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { databaseFile } from '../data-folder.ts'
import { childHeader, finishedTurn, log, openTurn, sessionHeader, user } from '../fixtures/logs.ts'
import { persistenceContract } from '../persistence.contract.ts'
import { openStore, type Store } from '../store-client.ts'
import { ODD_HEADER } from './migrations.ts'

persistenceContract('SQLite', dataFolder => openStore({ dataFolder }))

const S = toSessionId('s')
let folder: string
let store: Store

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-sqlite-'))
  store = await openStore({ dataFolder: folder })
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

/** A real edit by a second connection, as a broken disk or another program would leave it. */
function edit(...statements: string[]): void {
  const db = new Database(databaseFile(folder))
  for (const statement of statements) db.exec(statement)
  db.close()
}

function ask<T>(sql: string): T[] {
  const db = new Database(databaseFile(folder), { readonly: true })
  try {
    return db.prepare<[], T>(sql).all()
  } finally {
    db.close()
  }
}

async function reopen(): Promise<void> {
  await store.close()
  store = await openStore({ dataFolder: folder })
}

describe('damage', () => {
  const events = log([...finishedTurn, ...openTurn])
  beforeEach(() => store.persistence.create(sessionHeader('s'), events))

  test('rows missing at the end are a torn tail; loading cuts it, keeps what it can and goes on (50)', async () => {
    edit(`DELETE FROM event WHERE seq >= 9`)
    const inspection = await store.persistence.inspect(S)
    expect(inspection.damage).toEqual([{ kind: 'damaged-tail', fromSeq: 9, lost: 2 }])
    expect(inspection.events.slice(0, 9)).toEqual(events.slice(0, 9))
    expect(inspection.events.slice(9).map(({ seq, type }) => [seq, type])).toEqual([
      [9, 'step/end'],
      [10, 'turn/end'],
    ])
    expect((await store.persistence.page(S, { limit: 5 })).damage).toEqual(inspection.damage)

    const before = await store.persistence.revision(S)
    expect((await store.persistence.load(S)).events).toEqual(inspection.events)
    expect(await store.persistence.revision(S)).not.toBe(before) // as long as before, and another log
    expect(await store.persistence.get(S)).toMatchObject({ endSeq: 11 })
    expect((await store.persistence.inspect(S)).damage).toEqual([])
  })

  test('a tail that cannot be decoded is kept aside when it is cut', async () => {
    edit(`UPDATE event SET data = '{"turn":' WHERE seq >= 9`)
    expect((await store.persistence.inspect(S)).damage).toEqual([
      { kind: 'damaged-tail', fromSeq: 9, lost: 2 },
    ])
    await store.persistence.load(S)
    expect(ask('SELECT seq, data FROM lost_event ORDER BY seq')).toEqual([
      { seq: 9, data: '{"turn":' },
      { seq: 10, data: '{"turn":' },
    ])
    expect(await store.persistence.check()).toEqual([])
  })

  test('a checkpoint past a cut never fits again', async () => {
    const rows = [
      { key: 'title', stateVersion: 1, seq: 9, state: { given: 'from the lost tail', first: null } },
    ]
    const { header } = await store.persistence.inspect(S)
    await store.checkpoints.write([{ sessionId: S, facts: lifecycleFacts(header), faults: [], rows }])
    expect(await store.checkpoints.read([S], ['title'])).toMatchObject([
      { values: { title: 'from the lost tail' } },
    ])
    edit('DELETE FROM event WHERE seq >= 9')
    expect((await store.checkpoints.read([S], ['title']))[0]?.values).toEqual({})
    expect((await store.checkpoints.snapshot(S)).values['title']).toBe('hello')
    await store.persistence.load(S)
    expect(await store.checkpoints.read([S], ['title'])).toEqual([])
  })

  test('a garbled checkpoint is as good as absent, costs its siblings nothing, and does not keep the store shut', async () => {
    const rows = [{ key: 'title', stateVersion: 1, seq: 9, state: { given: 'kept', first: null } }]
    await store.persistence.create(sessionHeader('t'), events)
    for (const sessionId of [S, toSessionId('t')]) {
      await store.checkpoints.write([{ sessionId, facts: '', faults: [], rows }])
    }
    edit(`UPDATE checkpoint SET faults = '{"' WHERE session_key = (SELECT key FROM session WHERE id = 's')`)

    const again = await openStore({ dataFolder: folder })
    const read = await again.checkpoints.read([S, toSessionId('t')], ['title'])
    await again.close()

    expect(read).toMatchObject([{ sessionId: 't', values: { title: 'kept' } }])
  })

  test('rows missing in the middle are a gap: both sides can be read, resuming is refused', async () => {
    edit('DELETE FROM event WHERE seq IN (3, 4)')
    const damage = [{ kind: 'log-gap', fromSeq: 3, toSeq: 4 }]
    expect(await store.persistence.inspect(S)).toMatchObject({ damage, events: { length: 5 } }) // three and two closers
    const page = await store.persistence.page(S, { limit: 100 })
    expect(page.damage).toEqual(damage)
    expect(page.events.map(({ seq }) => seq)).toEqual([0, 1, 2, 5, 6, 7, 8, 9, 10])
    expect((await store.persistence.inspectFolded(S)).damage).toEqual(damage)
    await expect(store.persistence.load(S)).rejects.toMatchObject({ code: 'SESSION_DAMAGED' })
    expect(await store.persistence.get(S)).toMatchObject({ endSeq: 11 })
    expect(ask('SELECT * FROM event')).toHaveLength(9)
  })

  test('a gap shows on the page that reaches it, whichever side it is on', async () => {
    edit('DELETE FROM event WHERE seq IN (0, 5)')
    expect((await store.persistence.page(S, { limit: 4 })).damage).toEqual([])
    expect((await store.persistence.page(S, { limit: 3, before: 6 })).damage).toEqual([
      { kind: 'log-gap', fromSeq: 5, toSeq: 5 },
    ])
    expect(await store.persistence.page(S, { limit: 9, before: 3 })).toMatchObject({
      damage: [{ kind: 'log-gap', fromSeq: 0, toSeq: 0 }],
      nextBefore: null,
    })
  })

  test('one broken row in the middle costs that row', async () => {
    edit(
      `UPDATE event SET data = substr(data, 2) WHERE seq = 4`,
      `UPDATE event SET data = x'ff00ff' WHERE seq = 6`,
    )
    const damage = [
      { kind: 'log-undecodable', seq: 4 },
      { kind: 'log-undecodable', seq: 6 },
    ]
    expect((await store.persistence.inspect(S)).damage).toEqual(damage)
    expect((await store.persistence.page(S, { limit: 100 })).events.map(({ seq }) => seq)).toEqual([
      0, 1, 2, 3, 5, 7, 8, 9, 10,
    ])
    expect((await store.persistence.readFrom(S, 3, 3)).map(({ seq }) => seq)).toEqual([3, 5, 7])
    await expect(store.persistence.load(S)).rejects.toMatchObject({ code: 'SESSION_DAMAGED' })
    expect((await store.persistence.raw(S, 4, 1))[0]?.text).toContain('turn')
  })

  test('a record that lost everything is still there, and can be begun anew', async () => {
    edit('DELETE FROM event')
    expect(await store.persistence.inspect(S)).toMatchObject({
      events: [],
      damage: [{ kind: 'damaged-tail', fromSeq: 0, lost: 11 }],
    })
    expect((await store.persistence.list({ kind: 'all' })).sessions).toHaveLength(1)
    expect((await store.persistence.load(S)).events).toEqual([])
  })

  test('rows past the stated end belong to the log, and nobody writes over them', async () => {
    edit('UPDATE session SET end_seq = 6')
    expect((await store.persistence.inspect(S)).events.slice(0, 11)).toEqual(events)
    const late = { sessionId: S, expectedSeq: 6, events: log([user('x')], 6) }
    expect(await store.persistence.append([late])).toEqual(['conflict'])
    expect((await store.persistence.load(S)).events.slice(0, 11)).toEqual(events)
    expect(await store.persistence.get(S)).toMatchObject({ endSeq: 15 })
  })

  test('the doctor names each of them', async () => {
    expect(await store.persistence.check()).toEqual([])
    await store.persistence.create(sessionHeader('t'), events)
    await store.persistence.create(sessionHeader('u'), events)
    edit(
      `DELETE FROM event WHERE seq = 3 AND session_key = (SELECT key FROM session WHERE id = 's')`,
      `UPDATE event SET data = '{' WHERE seq = 2 AND session_key = (SELECT key FROM session WHERE id = 't')`,
      `UPDATE session SET version = 9 WHERE id = 'u'`,
    )
    const found = (await store.persistence.check()).join('\n')
    expect(found).toMatch(/Session s .*lacks 1 event \(3\)/)
    expect(found).toMatch(/Session t .*holds 1 event that cannot be read \(2\)/)
    expect(found).toMatch(/Session u cannot be opened/)
  })
})

describe('headers that cannot be read', () => {
  test.each([
    ['a newer version', 'version = 2', 'SESSION_VERSION', /newer/],
    ['an older version', 'version = 0', 'SESSION_VERSION', /older/],
    ['a time that is a word', `created_at = 'yesterday'`, 'SESSION_DAMAGED', /createdAt/],
    ['a fractional time', 'created_at = 1.5', 'SESSION_DAMAGED', /createdAt/],
    ['an unknown origin', `origin = 'robot'`, 'SESSION_DAMAGED', /origin/],
    ['a negative seed', 'seed_length = -1', 'SESSION_DAMAGED', /seedLength/],
    ['an empty preset', `preset = ''`, 'SESSION_DAMAGED', /preset/],
    ['a parent that is a path', `parent_session = '../x'`, 'SESSION_DAMAGED', /parentSession/],
  ])('%s costs that row and no other (46, 47)', async (_, change, code, problem) => {
    await store.persistence.create(sessionHeader('p'), log(finishedTurn))
    await store.persistence.create(childHeader('s', 'p'), log(finishedTurn))
    edit(`UPDATE session SET ${change} WHERE id = 's'`)
    for (const kind of ['all', 'roots'] as const) {
      const listing = await store.persistence.list({ kind })
      expect(
        listing.sessions.map(({ header, hasSubagentChildren }) => [header.id, hasSubagentChildren]),
      ).toEqual([['p', false]])
      expect(listing.unreadable).toEqual([{ id: 's', problem: expect.stringMatching(problem) }])
    }
    expect(await store.persistence.list({ kind: 'children', parent: toSessionId('p') })).toEqual({
      sessions: [],
      unreadable: [],
    })
    expect(await store.persistence.list({ kind: 'tree', root: toSessionId('p') })).toEqual({
      sessions: [],
      unreadable: [],
    })
    const reads = [
      store.persistence.get(S),
      store.persistence.inspect(S),
      store.persistence.load(S),
      store.checkpoints.snapshot(S),
    ]
    for (const read of await Promise.allSettled<unknown>(reads)) {
      expect(read).toMatchObject({ status: 'rejected', reason: { code } })
    }
    expect(await store.persistence.raw(S, 0, 10)).toHaveLength(finishedTurn.length)
  })

  test('every header the schema refuses is found by index, without a scan', async () => {
    const plan = ask<{ detail: string }>(`EXPLAIN QUERY PLAN SELECT key FROM session WHERE ${ODD_HEADER}`)
    expect(plan.map(({ detail }) => detail).join()).toContain('session_odd')
  })
})

describe('cost', () => {
  test.each([
    [
      'children',
      `SELECT * FROM session s WHERE s.parent_session = 'p' AND s.origin = 'subagent' AND s.trashed_at IS NULL AND s.end_seq > 0 ORDER BY s.created_at, s.id`,
      'session_child',
    ],
    [
      'roots',
      'SELECT * FROM session s WHERE s.origin IS NULL AND s.trashed_at IS NULL AND s.end_seq > 0 ORDER BY s.created_at, s.id',
      'session_root',
    ],
    [
      'the last descriptor',
      `SELECT max(seq) FROM event WHERE session_key = 1 AND type = 'subagent/descriptor'`,
      'event_descriptor',
    ],
    [
      'the end of a log that ends with a turn',
      `SELECT max(seq) FROM event WHERE session_key = 1 AND type IN ('turn/start', 'turn/end')`,
      'COVERING INDEX event_turn',
    ],
    [
      'the open turn',
      `SELECT seq, type FROM event WHERE session_key = 1 AND seq < 9 AND type IN ('turn/start', 'turn/end') ORDER BY seq DESC LIMIT 1`,
      'event_turn',
    ],
    [
      'questions newer than a checkpoint',
      `SELECT asked.session_key FROM event asked
         LEFT JOIN checkpoint_row r ON r.session_key = asked.session_key AND r.key = 'approvals'
         WHERE asked.type = 'approval/asked' AND asked.seq > coalesce(r.seq, -1)`,
      'asked USING COVERING INDEX event_asked',
    ],
    [
      'waiting sessions',
      `SELECT session_key FROM checkpoint_row r WHERE r.key = 'approvals' AND r.state <> '[]'`,
      'checkpoint_waiting',
    ],
  ])('%s are found by index and need no sorting', (_, sql, index) => {
    const plan = ask<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .map(({ detail }) => detail)
      .join('; ')
    expect(plan).toContain(index)
    expect(plan).not.toMatch(/SCAN (session|event)|TEMP B-TREE/)
  })

  test('a chain of 10,000 sessions is one listing', async () => {
    await Promise.all(
      Array.from({ length: 10_000 }, (_, index) =>
        store.persistence.create(childHeader(`n${index + 1}`, `n${index}`), log([user('x')])),
      ),
    )
    const { sessions } = await store.persistence.list({ kind: 'tree', root: toSessionId('n0') })
    expect(sessions).toHaveLength(10_000)
    expect(new Set(sessions.map(({ header }) => header.id)).size).toBe(10_000)
  }, 60_000)
})

describe('two writers', () => {
  test('another process that wrote first wins, and nothing is mixed', async () => {
    await store.persistence.create(sessionHeader('s'), log([user('a')]))
    const other = await openStore({ dataFolder: folder })
    try {
      const batch = (text: string) => [{ sessionId: S, expectedSeq: 1, events: log([user(text)], 1) }]
      const results = await Promise.all([
        store.persistence.append(batch('mine')),
        other.persistence.append(batch('theirs')),
      ])
      expect(results.flat().toSorted()).toEqual(['conflict', 'written'])
      expect((await store.persistence.inspect(S)).events).toEqual((await other.persistence.inspect(S)).events)
    } finally {
      await other.close()
    }
  })
})

describe('the database', () => {
  test('its files are readable by their owner alone', async () => {
    await store.persistence.create(sessionHeader('s'), log([user('a')]))
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const suffix of ['', '-wal', '-shm'])
      expect(statSync(databaseFile(folder) + suffix).mode & 0o777).toBe(0o600)
  })

  test('it is durable and made of large pages', () => {
    expect(ask('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
    expect(ask('PRAGMA page_size')).toEqual([{ page_size: 8192 }])
  })

  test('one of a newer version can be read and refuses every write with its reason', async () => {
    await store.persistence.create(sessionHeader('s'), log(finishedTurn))
    edit('PRAGMA user_version = 999')
    await reopen()
    expect(store.readOnly).toBe(true)
    expect((await store.persistence.inspect(S)).events).toHaveLength(finishedTurn.length)
    const writes = [
      store.persistence.create(sessionHeader('t'), []),
      store.persistence.append([]),
      store.persistence.load(S),
      store.persistence.trash(S),
      store.persistence.archive(S, true),
      store.persistence.saveDrafts([]),
      store.checkpoints.write([]),
      store.persistence.restore(S),
    ]
    for (const write of await Promise.allSettled(writes)) {
      expect(write).toMatchObject({
        status: 'rejected',
        reason: { code: 'STORE_READ_ONLY', message: expect.stringContaining('newer') },
      })
    }
  })

  test('a database of another program is left alone', async () => {
    await store.close()
    const other = mkdtempSync(join(tmpdir(), 'espalier-foreign-'))
    try {
      const db = new Database(databaseFile(other))
      db.exec('CREATE TABLE recipes (name TEXT)')
      db.close()
      await expect(openStore({ dataFolder: other })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    } finally {
      rmSync(other, { recursive: true })
    }
  })
})

describe('the thread', () => {
  test('what is asked for before closing is done, what comes after is refused', async () => {
    const created = store.persistence.create(sessionHeader('s'), log([user('a')]))
    const listed = store.persistence.list({ kind: 'all' })
    await Promise.all([store.close(), store.close()])
    await created
    expect((await listed).sessions).toHaveLength(1)
    await expect(store.persistence.get(S)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  test('when it dies, everything pending and later fails with the reason', async () => {
    const url = new URL(
      `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads'
      parentPort.postMessage({ ready: { readOnly: false } })
      parentPort.on('message', () => { throw new Error('the disk is on fire') })
    `)}`,
    )
    const doomed = await openStore({ dataFolder: folder, threadUrl: url })
    const failure = {
      status: 'rejected',
      reason: { code: 'STORE_UNAVAILABLE', cause: { message: 'the disk is on fire' } },
    }
    const pending = await Promise.allSettled([
      doomed.persistence.list({ kind: 'all' }),
      doomed.persistence.get(S),
    ])
    expect(pending).toMatchObject([failure, failure])
    expect(await Promise.allSettled([doomed.persistence.check()])).toMatchObject([failure])
    await doomed.close()
  })

  test('cold folds use the units they are given, and one that throws costs its own key', async () => {
    const units = join(folder, 'units.mjs')
    writeFileSync(
      units,
      `const schema = { safeParse: data => ({ success: true, data }), parse: data => data }
       const unit = (key, apply) => ({ key, stateVersion: 1, stateSchema: schema, init: () => 0, apply, view: state => state })
       export const UNITS = [unit('count', state => state + 1), unit('broken', () => { throw new Error('no') })]`,
    )
    await store.persistence.create(sessionHeader('s'), log(finishedTurn))
    await store.close()
    store = await openStore({ dataFolder: folder, unitsModule: pathToFileURL(units).href })
    const { snapshot } = await store.persistence.inspectFolded(S)
    expect(snapshot).toEqual({
      asOfSeq: 5,
      values: { count: 6, broken: null },
      faults: [{ key: 'broken', message: 'no' }],
    })
  })
})

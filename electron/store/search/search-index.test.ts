import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { databaseFile } from '../data-folder.ts'
import { type OpenLogs, openLogs, TIME, user } from './fixtures/search-logs.ts'

let logs: OpenLogs
beforeEach(() => {
  logs = openLogs()
})
afterEach(() => logs.remove())

function edit(...statements: string[]): void {
  const db = new Database(databaseFile(logs.folder))
  for (const statement of statements) db.exec(statement)
  db.close()
}

describe('what is found', () => {
  test.each([
    ['a message', user('the parser reads'), 'parser'],
    [
      'what an agent said',
      ['assistant/message', { content: [{ type: 'text', text: 'A closing brace' }] }] as const,
      'brace',
    ],
    [
      'what it thought',
      ['assistant/message', { content: [{ type: 'reasoning', text: 'Perhaps the lexer' }] }] as const,
      'lexer',
    ],
    [
      'what it asked a tool',
      [
        'assistant/message',
        {
          content: [
            {
              type: 'tool-call',
              callId: 'c',
              name: 'edit',
              input: { path: 'src/scope.ts', list: [{ find: 'x1' }] },
            },
          ],
        },
      ] as const,
      'scope.ts',
    ],
    [
      'what a tool said',
      ['tool/result', { content: [{ type: 'text', text: '3 failed' }] }] as const,
      'failed',
    ],
    ['a title', ['session/title', { title: 'Fix the importer' }] as const, 'importer'],
    ['a label', ['subagent/descriptor', { version: 2, label: 'Read fixtures' }] as const, 'fixtures'],
    [
      'a settlement',
      ['subagent/settled', { label: 'Count lines', outcome: 'completed', text: 'There are 412' }] as const,
      '412',
    ],
    ['a report', ['subagent/report', { label: 'Watch', output: 'It is green again' }] as const, 'green'],
    [
      'a line of another tool',
      ['import/raw', { lineType: 'note', line: 3, value: { text: 'remember the milk' } }] as const,
      'milk',
    ],
  ])('%s', (_, item, query) => {
    logs.create('s', [['turn/start', { turn: 1 }], item])
    logs.build()

    expect(logs.find(query)).toEqual(['s 1'])
  })

  test('nothing of pictures, ids and what cannot be read', () => {
    logs.create('s', [
      [
        'user/message',
        { id: 'nobody', content: [{ type: 'image', mediaType: 'image/png', data: 'aGVsbG8' }] },
      ],
      ['assistant/message', 'hello'],
      ['tool/result', { content: { 0: 5 } }],
      ['no such type', { text: 'hello' }],
      user('hello'),
    ])
    edit(`UPDATE event SET data = '{"content": hello' WHERE seq = 2`)
    logs.build()

    expect(logs.find('hello')).toEqual(['s 4'])
    expect([logs.find('nobody'), logs.find('aGVsbG8'), logs.find('png')]).toEqual([[], [], []])
  })

  test('with an excerpt around what was asked for', () => {
    const long = `${'filler words before. '.repeat(40)}here stands\n\n  the   getUserById, and then ${'more words. '.repeat(40)}`
    logs.create('s', [user(long)])
    logs.build()

    const { events } = logs.index.query({
      text: 'user "the getUserById"',
      limit: 1,
      cursor: null,
      sessions: null,
    })
    const { text, ranges } = events[0]?.excerpt ?? { text: '', ranges: [] }

    expect(text).toMatch(/^….*here stands the getUserById, and then more words\..*…$/)
    expect(ranges.map(([start, end]) => text.slice(start, end))).toEqual(['the getUserById'])
    expect(text.length).toBeLessThan(260)
  })

  test('the better hit first, the later one among equals, in pages that join', () => {
    logs.create('s', [
      user('needle and a lot of other words that make this text a long one about something else', TIME),
      user('needle', TIME + 7_200_000),
      user('needle needle', TIME + 3_600_000),
      user('needle', TIME + 10_800_000),
    ])
    logs.build()
    const all = logs.find('needle')

    const pages: string[] = []
    let cursor: string | null = null
    do {
      const answer = logs.index.query({ text: 'needle', limit: 1, cursor, sessions: null })
      pages.push(...answer.events.map(({ sessionId, seq }) => `${sessionId} ${seq}`))
      cursor = answer.next
    } while (cursor !== null)

    expect(all).toEqual(['s 2', 's 3', 's 1', 's 0'])
    expect(pages).toEqual(all)
  })

  test('all of it, however much: window by window', () => {
    logs.create(
      's',
      Array.from({ length: 9000 }, (_, at) => user(`needle ${at}`, TIME + at * 1000)),
    )
    logs.build()

    const found: string[] = []
    let cursor: string | null = null
    do {
      const answer = logs.index.query({ text: 'needle', limit: 1700, cursor, sessions: null })
      found.push(...answer.events.map(({ seq }) => String(seq)))
      cursor = answer.next
    } while (cursor !== null)

    expect(new Set(found).size).toBe(9000)
    expect(found).toHaveLength(9000)
    expect(Math.min(...found.slice(0, 1700).map(Number))).toBeGreaterThan(4000)
  })

  test('only in the sessions asked for', () => {
    logs.create('a', [user('needle')])
    logs.create('b', [user('needle')])
    logs.build()

    expect(logs.find('needle', { sessions: ['b', 'nobody'] })).toEqual(['b 0'])
  })
})

describe('a query', () => {
  let shared: OpenLogs
  beforeAll(() => {
    shared = openLogs()
    shared.create('s', [
      user('全文搜索引擎搜索'),
      user('検索エンジン'),
      user('한국어 검색'),
      user('call getUserById now'),
      user('the column user_id'),
      user('see src/store/thread.ts:12'),
      user('a naïve café'),
    ])
    shared.build()
  })
  afterAll(() => shared.remove())

  test.each([
    ['搜索', ['s 0']],
    ['全文', ['s 0']],
    ['文', ['s 0']],
    ['索', ['s 0', 's 1']],
    ['引擎搜', ['s 0']],
    ['搜引', []],
    ['検索', ['s 1']],
    ['ンジ', ['s 1']],
    ['エンジン', ['s 1']],
    ['ｴﾝｼﾞﾝ', ['s 1']],
    ['검색', ['s 2']],
    ['국어', ['s 2']],
    ['user', ['s 4', 's 3']],
    ['byid', []],
    ['getUserById', ['s 3']],
    ['getuserbyid', ['s 3']],
    ['get_user_by_id', ['s 3']],
    ['user_id', ['s 4']],
    ['userId', ['s 4']],
    ['thread', ['s 5']],
    ['store/thread.ts', ['s 5']],
    ['src/store/thread.ts', ['s 5']],
    ['"store thread"', ['s 5']],
    ['"thread store"', []],
    ['thread store', ['s 5']],
    ['CAFE', ['s 6']],
    ['naïve', ['s 6']],
    ['naive cafe', ['s 6']],
    ['user thread', []],
  ])('%s', (query, expected) => {
    expect(shared.find(query)).toEqual(expected)
  })

  test('is text, whatever signs are in it', () => {
    const hostile = [
      'NEAR(a b)',
      '"',
      '""',
      '*',
      'a*',
      '-a',
      'text:a',
      'a OR b',
      'AND',
      '(',
      ')',
      "'",
      'a"b',
      '^a',
      '{a}',
      '\u0000',
      ';--',
      '\\',
      '   ',
      '',
      'a '.repeat(400),
      '"'.repeat(99),
      'NOT',
      'a AND',
      '+ + +',
      '\ud800',
    ]
    for (const text of hostile) {
      const { status } = shared.index.query({ text, limit: 10, cursor: null, sessions: null })
      expect(status).toMatchObject({ state: 'ready', problem: null })
    }
    expect(shared.notes).toEqual([])
  })
})

describe('the index keeps up', () => {
  test('with what is logged', () => {
    logs.create('s', [user('one')])
    logs.build()
    logs.append('s', [user('two')])
    logs.build()

    expect([logs.find('one'), logs.find('two')]).toEqual([['s 0'], ['s 1']])
  })

  test('with what was logged while nobody looked', () => {
    logs.create('s', [user('one')])
    logs.build()
    logs.reopen()
    logs.writes.append([
      {
        sessionId: 's',
        events: {
          firstSeq: 1,
          times: [TIME],
          types: ['session/title'],
          texts: ['{"title":"two"}'],
          ignorable: [],
        },
      },
    ])
    logs.build()

    expect(logs.find('two')).toEqual(['s 1'])
  })

  test('with the trash, at once and without being told', () => {
    logs.create('root', [user('needle')])
    logs.create('child', [user('needle')], { parentSession: toSessionId('root'), origin: 'subagent' })
    logs.build()

    logs.writes.trash('root')
    expect(logs.find('needle')).toEqual([])

    logs.writes.restore('root')
    expect(logs.find('needle').sort()).toEqual(['child 0', 'root 0'])
  })

  test('with what is gone for good', () => {
    logs.create('a', [user('needle')])
    logs.create('b', [user('needle')])
    logs.build()
    edit(`DELETE FROM event WHERE session_key = 1`, `DELETE FROM session WHERE key = 1`)

    expect(logs.find('needle')).toEqual(['b 0'])

    logs.index.compareAll()
    logs.build()
    const db = new Database(logs.file, { readonly: true })
    const rows = db.prepare("SELECT count(*) FROM hits WHERE hits MATCH 'needle'").pluck().get()
    db.close()
    expect(rows).toBe(1)
  })

  test('with a log that was cut', () => {
    logs.create('s', [user('one'), user('two'), user('three')])
    logs.build()
    edit('DELETE FROM event WHERE seq = 2', `UPDATE session SET end_seq = 2, cuts = 1`)
    logs.writes.append([
      {
        sessionId: 's',
        events: {
          firstSeq: 2,
          times: [TIME],
          types: ['session/title'],
          texts: ['{"title":"four"}'],
          ignorable: [],
        },
      },
    ])
    logs.index.touch('s')
    logs.build()

    expect([logs.find('two'), logs.find('three'), logs.find('four')]).toEqual([['s 1'], [], ['s 2']])
  })

  test('with a backup that went another way since', () => {
    logs.create('s', [user('one'), user('two')])
    logs.build()
    edit(
      `UPDATE event SET data = replace(data, 'two', 'other') WHERE seq = 1`,
      `INSERT INTO event SELECT session_key, 2, time, type, replace(data, 'other', 'three'), NULL FROM event WHERE seq = 1`,
      'UPDATE session SET end_seq = 3',
    )
    logs.index.touch('s')
    logs.build()

    expect([logs.find('one'), logs.find('two'), logs.find('other'), logs.find('three')]).toEqual([
      ['s 0'],
      [],
      ['s 1'],
      ['s 2'],
    ])
  })

  test('with forks, whose inherited part is found where it came from', () => {
    logs.create('source', [user('needle'), user('other')])
    logs.create(
      'fork',
      [user('needle'), user('other'), ['session/end-seed', { source: 'source' }], user('own')],
      {
        parentSession: toSessionId('source'),
        seedLength: 2,
      },
    )
    logs.build()

    expect([logs.find('needle'), logs.find('own')]).toEqual([['source 0'], ['fork 3']])
  })

  test('with a damaged log beside it, and with both sides of a gap', () => {
    logs.create('a', [user('one'), user('two'), user('three')])
    logs.create('b', [user('one')])
    edit(
      'DELETE FROM event WHERE seq = 1 AND session_key = 1',
      `UPDATE session SET end_seq = 99 WHERE key = 1`,
      `UPDATE event SET seq = 'x' WHERE session_key = 1 AND seq = 2`,
      `INSERT INTO event VALUES (1, 5, 7, 'session/title', '{"title":"five"}', NULL)`,
    )
    logs.build()

    expect(logs.find('one').sort()).toEqual(['a 0', 'b 0'])
    expect(logs.find('five')).toEqual(['a 5'])
    expect(logs.index.status()).toMatchObject({ state: 'ready' })
  })

  test('and says how far it is', () => {
    logs.create(
      'a',
      Array.from({ length: 3000 }, () => user('word '.repeat(100))),
    )
    logs.index.step()
    const early = logs.index.status()
    logs.build()
    const late = logs.index.status()

    expect(early).toMatchObject({ state: 'building', totalEvents: 3000 })
    expect(early.indexedEvents).toBeLessThan(3000)
    expect(late).toEqual({ state: 'ready', problem: null, indexedEvents: 3000, totalEvents: 3000 })
  })

  test('and gives what it has while it is built', () => {
    logs.create(
      'a',
      Array.from({ length: 3000 }, () => user('word '.repeat(100))),
    )
    while (logs.index.status().indexedEvents === 0) logs.index.step()

    const { events, status } = logs.index.query({ text: 'word', limit: 5, cursor: null, sessions: null })

    expect(events).toHaveLength(5)
    expect(status.state).toBe('building')
  })
})

describe('the file', () => {
  beforeEach(() => {
    logs.create('s', [user('needle')])
    logs.build()
  })

  test('is private', () => {
    expect(statSync(logs.file).mode & 0o777).toBe(0o600)
  })

  test('holds no text', () => {
    const db = new Database(logs.file, { readonly: true })
    const [row] = db.prepare('SELECT * FROM hits').all()
    db.close()

    expect(row).toEqual({ text: null, session: 1, seq: 0, time: TIME })
  })

  test('is one file when it is closed', () => {
    logs.reopen()

    expect(existsSync(`${logs.file}-wal`)).toBe(false)
  })

  test('is made anew when it was deleted', () => {
    logs.reopen()
    rmSync(logs.file)
    logs.build()

    expect(logs.find('needle')).toEqual(['s 0'])
  })

  test('is made anew when it is deleted while it is used', async () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${logs.file}${suffix}`)
    await new Promise(resolve => setTimeout(resolve, 1100))
    logs.index.step()
    logs.build()

    expect(existsSync(logs.file)).toBe(true)
    expect(logs.find('needle')).toEqual(['s 0'])
    expect(logs.notes).toEqual(['The search index was deleted; it is made anew.'])
  })

  test.each([
    [
      'of another version',
      () => new Database(logs.file).pragma('user_version = 99'),
      'it was made by another version',
    ],
    ['no database', () => writeFileSync(logs.file, 'x'.repeat(10_000)), 'it was damaged'],
  ])('is thrown away when it is %s', (_, spoil, why) => {
    logs.reopen()
    spoil()
    logs.build()

    expect(logs.find('needle')).toEqual(['s 0'])
    expect(logs.notes).toEqual([`The search index was thrown away, because ${why}; it is made anew.`])
  })

  test('is made anew when a query meets damage', () => {
    logs.create(
      'more',
      Array.from({ length: 400 }, (_, at) => user(`needle word${at} `.repeat(50))),
    )
    logs.build()
    logs.reopen()
    const bytes = readFileSync(logs.file)
    writeFileSync(logs.file, bytes.fill(0xff, 3 * 4096))

    logs.find('needle word7')
    logs.build()

    expect(logs.find('needle word7')).toEqual(['more 7'])
    expect(logs.notes[0]).toMatch(/damaged/)
  })

  test('that cannot be written pauses the index, and nothing else', () => {
    logs.reopen()
    const db = new Database(logs.file)
    db.exec('BEGIN EXCLUSIVE')
    logs.append('s', [user('later')])

    const wait = logs.index.step()
    const { status, events } = logs.index.query({ text: 'needle', limit: 1, cursor: null, sessions: null })
    db.close()

    expect(wait).toBeGreaterThan(1000)
    expect(events).toEqual([])
    expect(status).toMatchObject({
      state: 'unavailable',
      problem: expect.stringContaining('cannot be written'),
    })
    expect(logs.source.session('s')?.endSeq).toBe(2)
  })

  test('is used as it is when the sessions can only be read', () => {
    logs.reopen(true)
    logs.append('s', [user('later')])
    logs.build()

    expect([logs.find('needle'), logs.find('later')]).toEqual([['s 0'], []])
  })

  test('is not made when the sessions can only be read', () => {
    logs.reopen(true)
    rmSync(logs.file)

    expect(logs.find('needle')).toEqual([])
    expect(logs.index.status()).toMatchObject({
      state: 'unavailable',
      problem: expect.stringMatching(/no search index/),
    })
    expect(existsSync(logs.file)).toBe(false)
  })

  test.skipIf(process.getuid?.() === 0)('in a folder that cannot be written is searched all the same', () => {
    logs.reopen(true)
    chmodSync(logs.folder, 0o500)

    expect(logs.find('needle')).toEqual(['s 0'])
    chmodSync(logs.folder, 0o700)
  })
})

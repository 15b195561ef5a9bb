import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UNITS } from '#shared/projection/units.ts'
import { toSessionId } from '#shared/session/ids.ts'
import type { Backend } from '../backend.ts'
import { sessionsFolder } from '../jsonl/format.ts'
import { openJsonlBackend } from '../jsonl/jsonl-backend.ts'
import { makeSessionsFolder } from '../jsonl/make-format.ts'
import { openSqliteBackend } from '../sqlite/sqlite-backend.ts'
import { encoded, TIME, user } from './fixtures/search-logs.ts'
import { searchFile } from './search-file.ts'
import { SearchIndex } from './search-index.ts'

/* What an index needs of a backend's logs, whichever keeps them. */

describe.each([
  ['SQLite', openSqliteBackend],
  ['JSONL', openJsonlFolder],
] as const)('%s: the logs for an index', (_, open) => {
  let folder = ''
  let backend: Backend
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'espalier-log-source-'))
    backend = open({ dataFolder: folder, units: UNITS, readOnly: false })
    const { writes } = backend.methods
    const facts = { version: 1, createdAt: 1000 } as const
    writes.create({ ...facts, id: toSessionId('a') }, encoded(0, [user('one'), user('two'), user('three')]))
    writes.create(
      { ...facts, id: toSessionId('b'), parentSession: toSessionId('a'), seedLength: 1 },
      encoded(0, [user('one'), user('four')]),
    )
    writes.create({ ...facts, id: toSessionId('c') }, encoded(0, [user('five')]))
  })
  afterEach(() => {
    backend.close()
    rmSync(folder, { recursive: true })
  })

  test('are listed page by page, those in the trash too', () => {
    backend.methods.writes.trash('c')
    const first = backend.logSource.sessions(-1, 2)
    const rest = backend.logSource.sessions(first.at(-1)?.key ?? -1, 2)

    expect(first).toHaveLength(2)
    expect(
      [...first, ...rest]
        .map(({ id, endSeq, cuts, seedLength, createdAt, isTrashed }) => [
          id,
          endSeq,
          cuts,
          seedLength,
          createdAt,
          isTrashed,
        ])
        .sort(),
    ).toEqual([
      ['a', 3, 0, 0, 1000, false],
      ['b', 2, 0, 1, 1000, false],
      ['c', 1, 0, 0, 1000, true],
    ])
  })

  test('say what is new in them', () => {
    const before = backend.logSource.session('a')
    backend.methods.writes.append([{ sessionId: 'a', events: encoded(3, [user('later', TIME + 50)]) }])

    expect(backend.logSource.session('a')).toEqual({ ...before, endSeq: 4, lastTime: TIME + 50 })
    expect(backend.logSource.session('nobody')).toBeNull()
  })

  test('are read from any event on', () => {
    const { key = -1 } = backend.logSource.session('a') ?? {}
    const read = (from: number, limit: number) => backend.logSource.rows(key, from, limit).map(([seq]) => seq)

    expect([read(0, 2), read(1, 9), read(3, 9)]).toEqual([[0, 1], [1, 2], []])
  })

  test('are found in', () => {
    const index = new SearchIndex({
      file: searchFile(folder),
      source: backend.logSource,
      readOnly: false,
      note: sentence => expect.fail(sentence),
    })
    while (index.step() === 0);
    const find = (text: string) =>
      index
        .query({ text, limit: 9, cursor: null, sessions: null })
        .events.map(({ sessionId, seq }) => `${sessionId} ${seq}`)

    expect([find('one'), find('four'), find('five')]).toEqual([['a 0'], ['b 1'], ['c 0']])
    backend.methods.writes.trash('a')
    expect(find('one')).toEqual([])
    index.close()
  })
})

function openJsonlFolder(options: Parameters<typeof openJsonlBackend>[0]): Backend {
  makeSessionsFolder(sessionsFolder(options.dataFolder), 'text')
  return openJsonlBackend(options)
}

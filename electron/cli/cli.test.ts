import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseFile } from '../store/data-folder.ts'
import { takeLock } from '../store/lock.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const SLOW_MS = 60_000

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The command as a person runs it: a process of its own. */
function espalier(...args: readonly string[]): Promise<Ran> {
  return new Promise(resolve => {
    const child = execFile(process.execPath, [MAIN, ...args], { maxBuffer: 2 ** 26 }, (_error, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    )
  })
}

function jsonLines(out: string) {
  return out
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
}

let folder = ''
let home = ''
let root = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-cli-'))
  home = join(folder, 'data')
  const shape = ['--children', '6', '--events', '60', '--unrelated', '3', '--depth', '2']
  const made = await espalier('corpus', ...shape, '--home', home)
  expect(made.err).toBe('')
  root = made.out.trim()
}, SLOW_MS)
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('espalier corpus', () => {
  it('writes the tree that was asked for, half of it continuable, and says its root', () => {
    const db = new Database(databaseFile(home), { readonly: true })
    const count = (sql: string) => db.prepare(sql).pluck().get()

    expect(count("SELECT count(*) FROM session WHERE origin = 'subagent'")).toBe(6)
    expect(count("SELECT count(*) FROM session WHERE origin = 'subagent' AND end_seq <> 60")).toBe(0)
    expect(count('SELECT count(*) FROM session WHERE parent_session IS NULL')).toBe(4)
    expect(count('SELECT max(delegation_depth) FROM session')).toBe(2)
    expect(count('SELECT count(*) FROM checkpoint')).toBe(10)
    expect(
      count(
        `SELECT count(*) FROM event WHERE type = 'subagent/descriptor' AND json_extract(data, '$.mode') = 'continuable'`,
      ),
    ).toBe(3)
    expect(count(`SELECT id FROM session WHERE id = '${root}'`)).toBe(root)
    db.close()
  })

  it('gives the sessions beside the tree children of their own when asked to', async () => {
    const other = join(folder, 'beside')
    const shape = ['--children', '2', '--events', '20', '--unrelated', '3', '--unrelated-children', '4']

    const { code } = await espalier('corpus', ...shape, '--home', other)

    const db = new Database(databaseFile(other), { readonly: true })
    const counts = db.prepare(
      'SELECT count(*) FROM session WHERE parent_session IS NOT NULL GROUP BY parent_session ORDER BY 1',
    )
    expect(code).toBe(0)
    expect(counts.pluck().all()).toEqual([2, 4, 4, 4])
    expect(db.prepare('SELECT count(*) FROM checkpoint').pluck().get()).toBe(18)
    db.close()
  })

  it.each([
    ['--children', 'many', '--events', '5'],
    ['--children', '3', '--events', '0'],
    ['--children', '3', '--events', '5', '--depth', '4'],
  ])('refuses %s %s %s %s as wrong usage', async (...args) => {
    const { code, out, err } = await espalier('corpus', ...args, '--home', join(folder, 'none'))

    expect({ code, out, lines: err.trimEnd().split('\n').length }).toEqual({ code: 2, out: '', lines: 1 })
    expect(existsSync(join(folder, 'none'))).toBe(false)
  })

  it('says that the same corpus is there already, and writes nothing', async () => {
    const shape = ['--children', '6', '--events', '60', '--unrelated', '3', '--depth', '2']

    const { code, out, err } = await espalier('corpus', ...shape, '--home', home)

    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain('--seed')
  })
})

describe('espalier sessions, children and history', { timeout: SLOW_MS }, () => {
  it('lists roots only, as lines of JSON', async () => {
    const { code, out } = await espalier('sessions', '--home', home, '--json')

    const sessions = jsonLines(out)
    expect(code).toBe(0)
    expect(sessions).toHaveLength(4)
    expect(sessions.map(({ kind }) => kind)).toEqual(Array(4).fill('session'))
    expect(sessions.map(({ id }) => id)).toContain(root)
  })

  it('prints children with mode, status and label in columns, and the whole tree on request', async () => {
    const direct = await espalier('children', root, '--home', home)
    const all = await espalier('children', root, '--descendants', '--home', home, '--json')

    const lines = direct.out.trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    for (const line of lines) {
      expect(line).toMatch(
        /^\S{36} {2}(one-shot {3}|continuable) {2}(completed|failed|stopped|limit reached|interrupted) /,
      )
    }
    expect(new Set(lines.map(line => line.indexOf('Part '))).size).toBe(1)
    const entries = jsonLines(all.out)
    expect(entries).toHaveLength(6)
    expect(new Set(entries.map(({ depth }) => depth))).toEqual(new Set([1, 2]))
  })

  it('prints a history oldest first, and its events as they are with --json', async () => {
    const [child] = jsonLines((await espalier('children', root, '--home', home, '--json')).out)

    const tail = jsonLines(
      (await espalier('history', child.id, '--home', home, '--limit', '5', '--json')).out,
    )
    const above = jsonLines(
      (await espalier('history', child.id, '--home', home, '--before', '4', '--json')).out,
    )
    const text = await espalier('history', child.id, '--home', home)

    expect(tail.map(({ seq }) => seq)).toEqual([55, 56, 57, 58, 59])
    expect(above.map(({ seq }) => seq)).toEqual([0, 1, 2, 3])
    expect(text.out).toContain(`${child.label}  2026-`)
    expect(text.out).toMatch(/^Parent {2}2026-/m)
    expect(text.out).toMatch(/^ {2}> (Read|Edit) /m)
  })

  it.each(['children', 'history'])('%s says that an unknown session is unknown', async command => {
    for (const place of [home, join(folder, 'none')]) {
      expect(await espalier(command, 'nobody', '--home', place)).toEqual({
        code: 1,
        out: '',
        err: 'There is no session nobody.\n',
      })
    }
    expect(existsSync(join(folder, 'none'))).toBe(false)
  })

  it.each(['../secrets', '', '\u001b]0;owned\u0007'])(
    'refuses the id %j as wrong usage and repeats no control character',
    async id => {
      const { code, out, err } = await espalier('history', '--home', home, '--', id)

      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(err.trimEnd()).not.toMatch(/\p{Cc}/u)
    },
  )

  it.each([['frobnicate'], ['history', 'a', '--limit', '0'], ['import'], ['sessions', '--wrong']])(
    'takes %s %s %s %s for wrong usage, in one sentence',
    async (...args) => {
      const { code, out, err } = await espalier(...args)

      expect({ code, out, lines: err.trimEnd().split('\n').length }).toEqual({ code: 2, out: '', lines: 1 })
    },
  )

  it('shows labels as text that cannot move the cursor', async () => {
    const place = join(folder, 'hostile')
    const made = await espalier(
      'corpus',
      '--children',
      '1',
      '--events',
      '10',
      '--home',
      place,
      '--no-checkpoints',
    )
    const db = new Database(databaseFile(place))
    const label = JSON.stringify('nice\u001b[2J\u001b]0;owned\u0007\u202e\ntwo')
    db.prepare(
      `UPDATE event SET data = json_set(data, '$.label', json(?)) WHERE type = 'subagent/descriptor'`,
    ).run(label)
    db.close()

    const { out } = await espalier('children', made.out.trim(), '--home', place)

    expect(out).toContain('nice two')
    expect(out.trimEnd()).not.toMatch(/[\p{Cc}\u202e]/u)
  })
})

describe('espalier import', { timeout: SLOW_MS }, () => {
  it('imports once, and says so of what it cannot read', async () => {
    const place = join(folder, 'imported')
    const project = join(folder, 'claude', 'projects', '-work')
    await mkdir(project, { recursive: true })
    const line = (more: object) =>
      JSON.stringify({
        sessionId: 'b6a7c1de-0000-4000-8000-000000000001',
        timestamp: '2026-01-05T09:00:00Z',
        cwd: '/work',
        version: '2.1.0',
        isSidechain: false,
        ...more,
      })
    const user = line({
      type: 'user',
      uuid: 'u1',
      parentUuid: null,
      message: { role: 'user', content: 'Hello' },
    })
    await writeFile(join(project, 'b6a7c1de-0000-4000-8000-000000000001.jsonl'), `${user}\n`)

    const first = await espalier('import', join(folder, 'claude'), '--home', place, '--json')
    const second = await espalier('import', join(folder, 'claude'), '--home', place, '--json')
    const missing = await espalier('import', join(folder, 'nowhere'), '--home', place)

    expect(jsonLines(first.out)).toMatchObject([
      { sessions: 1, unchanged: 0, source: join(folder, 'claude') },
    ])
    expect(jsonLines(second.out)).toMatchObject([{ sessions: 0, unchanged: 1 }])
    expect([first.code, second.code, missing.code]).toEqual([0, 0, 1])
    expect(missing.err).toContain('nowhere')
  })
})

describe('espalier doctor', { timeout: SLOW_MS }, () => {
  it('finds nothing wrong with a sound folder, and changes nothing', async () => {
    const before = await files()

    const { code, out } = await espalier('doctor', '--home', home, '--json')

    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({ ok: true, dataFolder: home, findings: [], notes: [] })
    expect(await files()).toEqual(before)

    /** SQLite's own two beside the database come and go with whoever reads it. */
    async function files() {
      const names = (await readdir(home, { recursive: true })).filter(name => !/-(wal|shm)$/.test(name))
      const times = names.map(async name => [name, (await stat(join(home, name))).mtimeMs])
      return Promise.all(times)
    }
  })

  it('names a gap, an unreadable event and a damaged header, and leaves with 1', async () => {
    const place = join(folder, 'damaged')
    const made = await espalier('corpus', '--children', '3', '--events', '20', '--home', place)
    const [a, b, c] = jsonLines((await espalier('children', made.out.trim(), '--home', place, '--json')).out)
    const db = new Database(databaseFile(place))
    const of = 'session_key = (SELECT key FROM session WHERE id = ?)'
    db.prepare(`DELETE FROM event WHERE seq = 7 AND ${of}`).run(a.id)
    db.prepare(`UPDATE event SET data = substr(data, 1, 5) WHERE seq = 9 AND ${of}`).run(b.id)
    db.prepare('UPDATE session SET delegation_depth = ? WHERE id = ?').run('deep', c.id)
    db.close()

    const { code, out, err } = await espalier('doctor', '--home', place, '--json')

    const { ok, findings } = JSON.parse(out)
    expect({ ok, code }).toEqual({ ok: false, code: 1 })
    for (const { id } of [a, b, c]) expect(findings.join('\n')).toContain(id)
    expect(err).toBe(`Doctor found ${findings.length} faults.\n`)
  })

  it('repairs on a copy, after a backup, and says what it saved; a restore brings it all back', async () => {
    const place = join(folder, 'repaired')
    await espalier('corpus', '--children', '3', '--events', '40', '--home', place)
    const { out: backup } = await espalier('backup', '--home', place)
    const db = new Database(databaseFile(place))
    db.exec('DELETE FROM event WHERE session_key = 2 AND seq >= 30')
    db.close()

    const repaired = await espalier('doctor', '--repair', '--home', place)
    expect(repaired).toMatchObject({ code: 0, err: '' })
    expect(repaired.out).toMatch(/Found: Session .* lost its last 10 events/)
    expect(repaired.out).toMatch(
      /Backed up as .*-before-repair\.db[\s\S]*Saved 4 sessions, 3 of them whole\./,
    )
    expect(await readdir(join(place, 'damaged'))).toHaveLength(2)
    expect((await espalier('doctor', '--home', place)).code).toBe(0)

    const restored = await espalier('restore', backup.trim(), '--home', place)
    expect(restored).toMatchObject({ code: 0, out: expect.stringContaining('Restored 4 sessions.') })
    const { out } = await espalier('backup', '--list', '--home', place, '--json')
    const listed = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).reason)
    expect(listed).toEqual(['before-restore', 'before-repair', 'manual'])
    expect((await espalier('restore', 'espalier-none.db', '--home', place)).err).toBe(
      'There is no backup espalier-none.db.\n',
    )
  })

  it('says that a file in place of the database is none', async () => {
    const place = join(folder, 'foreign')
    await mkdir(place, { mode: 0o700 })
    await writeFile(databaseFile(place), 'not a database, but long enough to be taken for one'.repeat(40), {
      mode: 0o600,
    })

    const { code, out } = await espalier('doctor', '--home', place)

    expect(code).toBe(1)
    expect(out).toMatch(/database/)
  })
})

describe('a data folder in use', { timeout: SLOW_MS }, () => {
  it('is worked on through the running workbench, and never by a second writer', async () => {
    const host = await startHost()
    try {
      const listed = await espalier('children', root, '--home', home, '--json')
      const doctor = await espalier('doctor', '--home', home)
      const corpus = await espalier(
        'corpus',
        '--children',
        '1',
        '--events',
        '5',
        '--seed',
        '9',
        '--home',
        home,
      )
      const second = await espalier('serve', '--no-open', '--home', home)

      expect(jsonLines(listed.out)).toHaveLength(3)
      expect([listed.code, doctor.code, corpus.code, second.code]).toEqual([0, 0, 1, 1])
      expect(corpus.err).toContain('is running')
    } finally {
      host.kill('SIGTERM')
      await once(host, 'exit')
    }
  })

  it('is left alone when whoever holds it cannot be reached', async () => {
    const result = takeLock(home)
    if (result.kind !== 'taken') throw new Error('the lock is not free')

    const ran = await espalier('sessions', '--home', home)

    result.lock.release()
    expect({ code: ran.code, out: ran.out }).toEqual({ code: 1, out: '' })
    expect(ran.err).toMatch(/cannot be reached/)
  })
})

/** The browser shell around the real workbench, with a page that needs no build. */
async function startHost(): Promise<ChildProcess> {
  const pageFolder = join(folder, 'page')
  await mkdir(pageFolder, { recursive: true })
  await writeFile(join(pageFolder, 'index.html'), '<!doctype html>')
  const shell = new URL('../web/browser-shell.ts', import.meta.url).href
  const open = new URL('../open-workbench.ts', import.meta.url).href
  const program = `
    import { runBrowserShell } from ${JSON.stringify(shell)}
    import { openWorkbench } from ${JSON.stringify(open)}
    await runBrowserShell(${JSON.stringify(['--no-open', '--home', home])}, {
      pageFolder: ${JSON.stringify(pageFolder)}, openWorkbench })`
  const file = join(folder, 'host.mjs')
  await writeFile(file, program)
  const host = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
  await Promise.race([once(host.stdout!, 'data'), once(host, 'exit')])
  expect(host.exitCode).toBeNull()
  return host
}

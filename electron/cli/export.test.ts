import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '#shared/redaction/fixtures/corpus.ts'
import { databaseFile } from '../store/data-folder.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const SLOW_MS = 60_000
const SECRET = `glpat-${run(20)}`
const KEPT_KEY = 'a key that nobody would guess'

function espalier(...args: readonly string[]) {
  return new Promise<{ code: number | null; out: string; err: string }>(resolve => {
    const child = execFile(process.execPath, [MAIN, ...args], { maxBuffer: 2 ** 26 }, (_error, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    )
  })
}

let folder = ''
let home = ''
let root = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-export-'))
  home = join(folder, 'data')
  const made = await espalier('corpus', '--children', '3', '--events', '40', '--depth', '2', '--home', home)
  expect(made.err).toBe('')
  root = made.out.trim()
  const db = new Database(databaseFile(home))
  const message = {
    id: 'm',
    source: { kind: 'person' },
    content: [{ type: 'text', text: `Use ${SECRET}, or ${KEPT_KEY}.` }],
  }
  db.prepare(
    `UPDATE event SET data = ? WHERE seq = (SELECT min(seq) FROM event WHERE type = 'user/message' AND session_key =
       (SELECT key FROM session WHERE id = ?)) AND session_key = (SELECT key FROM session WHERE id = ?)`,
  ).run(JSON.stringify(message), root, root)
  db.close()
  await writeFile(join(home, 'secrets.json'), JSON.stringify({ own: KEPT_KEY }), { mode: 0o600 })
}, SLOW_MS)
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('espalier export', { timeout: SLOW_MS }, () => {
  it('writes a conversation to standard output, without secrets it can tell or knows', async () => {
    const { code, out, err } = await espalier('export', root, '--home', home)

    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^# /)
    expect(out).toContain('> Use [redacted: GitLab token], or [redacted: known secret].')
    expect(out).not.toContain(SECRET)
    expect(out).not.toContain(KEPT_KEY)
  })

  it('writes a tree to a new file that only its owner can read, and never over another one', async () => {
    const file = join(folder, 'tree.html')
    const args = ['export', root, '--tree', '--format', 'html', '--out', file, '--json', '--home', home]

    const first = await espalier(...args)
    const text = await readFile(file, 'utf8')
    const second = await espalier(...args)

    expect(JSON.parse(first.out)).toMatchObject({ file, format: 'html', redacted: true, sessions: 4 })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(text).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/)
    expect(text.match(/<section id=/g)).toHaveLength(4)
    expect({ code: second.code, err: second.err }).toEqual({
      code: 1,
      err: `There is a file ${file} already; name another one.\n`,
    })
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it('writes every event as it is stored with --raw, and says that nothing is redacted', async () => {
    const { code, out, err } = await espalier('export', root, '--raw', '--json', '--home', home)

    const lines = out
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    const db = new Database(databaseFile(home), { readonly: true })
    const stored = db
      .prepare<[string], { data: string }>(
        'SELECT data FROM event WHERE session_key = (SELECT key FROM session WHERE id = ?) ORDER BY seq',
      )
      .all(root)
    db.close()
    expect(code).toBe(0)
    expect(err).toBe('This export is NOT redacted: every secret in the log is in it.\n')
    expect(lines.filter(({ kind }) => kind === 'event').map(({ data }) => data)).toEqual(
      stored.map(({ data }) => JSON.parse(data)),
    )
    expect(out).toContain(SECRET)
  })

  it.each([
    ['export'],
    ['export', 'a', '--format', 'pdf'],
    ['export', 'a', '--format', 'md', '--json'],
    ['export', '../a'],
  ])('takes %s %s %s %s for wrong usage', async (...args) => {
    const { code, out, err } = await espalier(...args)

    expect({ code, out, lines: err.trimEnd().split('\n').length }).toEqual({ code: 2, out: '', lines: 1 })
  })

  it('says that an unknown session is unknown, and leaves no file behind', async () => {
    const file = join(folder, 'none.md')

    const { code, err } = await espalier('export', 'nobody', '--out', file, '--home', home)

    expect({ code, err }).toEqual({ code: 1, err: 'There is no session nobody.\n' })
    expect(existsSync(file)).toBe(false)
  })
})

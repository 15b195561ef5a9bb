import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mountSmallDisk, noSmallDisk } from '../faults/fixtures/small-disk.ts'
import { databaseFile } from '../store/data-folder.ts'
import { sessionsFolder } from '../store/jsonl/format.ts'
import { takeLock } from '../store/lock.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const SLOW_MS = 240_000

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The command as a person runs it: a process of its own. */
function espalier(...args: readonly string[]): Promise<Ran> {
  return new Promise(resolve => {
    const child = execFile(process.execPath, [MAIN, ...args], (_error, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    )
  })
}

let folder = ''
let home = ''
let root = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-migrate-'))
  home = join(folder, 'data')
  const shape = ['--children', '4', '--events', '300', '--unrelated', '2']
  root = (await espalier('corpus', ...shape, '--home', home)).out.trim()
}, SLOW_MS)
afterAll(() => rmSync(folder, { recursive: true }))

it(
  'refuses what cannot be meant',
  async () => {
    for (const args of [[], ['--to', 'paper'], ['--to', 'sqlite', '--compress']]) {
      expect(await espalier('migrate', ...args, '--home', home)).toMatchObject({ code: 2, out: '' })
    }
  },
  SLOW_MS,
)

it(
  'never works beside a running workbench',
  async () => {
    const taken = takeLock(home)
    try {
      const ran = await espalier('migrate', '--to', 'jsonl', '--home', home)
      expect(ran).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^Espalier is running.*\n$/) })
      expect(existsSync(sessionsFolder(home))).toBe(false)
    } finally {
      if (taken.kind === 'taken') taken.lock.release()
    }
  },
  SLOW_MS,
)

it(
  'moves a data folder into files and back; every other command works on both',
  async () => {
    const look = () => espalier('children', root, '--descendants', '--json', '--home', home)
    const before = await look()
    expect(before).toMatchObject({ code: 0, err: '' })

    const there = await espalier('migrate', '--to', 'jsonl', '--home', home)
    expect(there).toMatchObject({ code: 0, err: '' })
    expect(there.out).toMatch(
      /^Moved 7 sessions with [\d,]+ events and 0 outputs into files; each was compared\.\nThe old ones are kept in /,
    )
    expect(existsSync(databaseFile(home))).toBe(false)
    expect(readFileSync(join(sessionsFolder(home), root, 'log.jsonl'), 'utf8')).toContain(
      '"type":"turn/start"',
    )
    expect(await look()).toEqual(before)
    expect(await espalier('doctor', '--home', home)).toMatchObject({ code: 0 })
    expect(await espalier('migrate', '--to', 'jsonl', '--home', home)).toMatchObject({
      code: 0,
      out: 'The sessions are kept in files already.\n',
    })

    const back = await espalier('migrate', '--to', 'sqlite', '--json', '--home', home)
    expect(JSON.parse(back.out)).toMatchObject({ to: 'sqlite', moved: true, sessions: 7, left: [] })
    expect(await look()).toEqual(before)
    expect(readdirSync(join(home, 'backups')).toSorted()).toEqual([
      expect.stringMatching(/^before-jsonl-/),
      expect.stringMatching(/^before-sqlite-/),
    ])
  },
  SLOW_MS,
)

it.skipIf(noSmallDisk !== null)(
  `says that the disk is full and changes nothing (${noSmallDisk ?? 'a tmpfs'})`,
  async () => {
    const disk = mountSmallDisk(16)
    try {
      const small = join(disk.path, 'data')
      cpSync(home, small, { recursive: true, filter: path => !path.includes('backups') })
      const before = await espalier('sessions', '--json', '--home', small)
      disk.fillUp()
      const ballast = join(disk.path, 'ballast')
      truncateSync(ballast, statSync(ballast).size - 300 * 1024)

      const ran = await espalier('migrate', '--to', 'jsonl', '--home', small)
      expect(ran).toEqual({
        code: 1,
        out: '',
        err: 'The disk is full. Nothing was changed: the sessions are kept as before.\n',
      })
      disk.free()
      expect(readdirSync(small).filter(name => /sessions|backups|new/.test(name))).toEqual([])
      expect(await espalier('sessions', '--json', '--home', small)).toEqual(before)
      expect(await espalier('migrate', '--to', 'jsonl', '--compress', '--home', small)).toMatchObject({
        code: 0,
      })
    } finally {
      disk.unmount()
    }
  },
  SLOW_MS,
)

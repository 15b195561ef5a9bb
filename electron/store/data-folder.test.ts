import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeDataFolder } from './data-folder.ts'

const ELECTRON = new URL('../', import.meta.url).pathname
const sources = globSync('**/*.ts', { cwd: ELECTRON }).filter(
  file => !/\.(test|bench|contract)\.ts$|\/fixtures\//.test(file),
)

/** Names the locked files: by text, or by the two functions that give their paths. */
const NAMES = /\b(espalier|lock)\.db\b|\bdatabaseFile\b|\blockFile\b/
/** Anything of `fs` that opens a file. `chmod`, `stat`, `rename`, `mkdir` and `rm` do not. */
const OPENS =
  /\b(readFile|writeFile|appendFile|copyFile|cp|open|openAsBlob|createReadStream|createWriteStream|truncate|link)(Sync)?\(/

function mayOpenLockedFiles(source: string): boolean {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
  return NAMES.test(code) && OPENS.test(code)
}

test('no source that knows the locked files opens any file with fs: closing it would free the locks', () => {
  expect(sources.length).toBeGreaterThan(20)
  const known = sources.filter(file => NAMES.test(readFileSync(join(ELECTRON, file), 'utf8')))
  expect(known).toEqual(
    expect.arrayContaining(['store/data-folder.ts', 'store/lock.ts', 'store/sqlite/sqlite-backend.ts']),
  )
  expect(known.filter(file => mayOpenLockedFiles(readFileSync(join(ELECTRON, file), 'utf8')))).toEqual([])
})

test.each([
  `readFileSync(databaseFile(folder))`,
  `await copyFile(join(folder, 'espalier.db'), backup)`,
  `const handle = await open(lockFile(folder))`,
  "createReadStream(join(folder, 'espalier.db-wal'))",
])('the guard above sees %s', line => {
  expect(mayOpenLockedFiles(line)).toBe(true)
})

test('the guard lets stat, rename and SQLite pass', () => {
  expect(
    mayOpenLockedFiles(
      `statSync(databaseFile(f)); renameSync(databaseFile(f), g); new Database(lockFile(f))`,
    ),
  ).toBe(false)
})

test('a data folder is made with its parents and closed to others; a folder of other things is left as it is', () => {
  const parent = mkdtempSync(join(tmpdir(), 'espalier-folder-'))
  const folder = join(parent, 'a', 'b')
  makeDataFolder(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  chmodSync(folder, 0o755)
  makeDataFolder(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  writeFileSync(join(folder, 'thesis.tex'), '')
  chmodSync(folder, 0o755)
  makeDataFolder(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o755)
  rmSync(parent, { recursive: true })
})

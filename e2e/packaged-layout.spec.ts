import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import Database from 'better-sqlite3'
import { startMainProcess } from './support/main-process.ts'
import { until } from './support/until.ts'

/** The build where a package has it: in a folder that is called `app.asar`, with what must lie outside beside it. */

const PROJECT = join(import.meta.dirname, '..')
/** What `asarUnpack` has to name: the store thread with all it imports. */
const UNPACKED = ['package.json', 'out/main', 'node_modules/better-sqlite3', 'node_modules/zod']
const PACKED = ['package.json', 'out/main', 'out/renderer', 'resources', 'node_modules']

const root = mkdtempSync(join(tmpdir(), 'espalier-packaged-'))
const archive = join(root, 'resources', 'app.asar')
test.beforeAll(() => {
  for (const path of PACKED) place(path, archive)
  for (const path of UNPACKED) place(path, `${archive}.unpacked`)
  rmSync(join(archive, 'out', 'main', 'thread.js')) // there it would find no packages
})
test.afterAll(() => rmSync(root, { recursive: true, force: true }))

test('the thread, the scripts, the page and the version are found from inside a package', async () => {
  const home = join(root, 'home')
  const main = startMainProcess({
    args: [join(archive, 'out', 'main', 'serve.js'), '--no-open', '--home', home],
    env: { ESPALIER_REHEARSAL_PACE_MS: '2' },
    ipc: false,
  })
  try {
    await until(() => /#token=/.test(main.output()) || main.child.exitCode !== null, 'the ready line')
    const [address = ''] = /http:\S+/.exec(main.output()) ?? []
    expect(await (await fetch(address)).text()).toContain('<title>Espalier</title>')
    await until(() => countEvents(home, 'subagent/descriptor') > 3, 'the children of the sample')
  } finally {
    await main.end()
  }
  expect(await main.exit).toBe(0)

  const cli = startMainProcess({
    args: [join(archive, 'out', 'main', 'cli.js'), '--version'],
    env: {},
    ipc: false,
  })
  await cli.exit
  expect(cli.output().trim()).toBe(JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')).version)
})

/** Packages by a link: they are found from the place of the link all the same. */
function place(path: string, folder: string) {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  if (path.startsWith('node_modules')) symlinkSync(join(PROJECT, path), join(folder, path), 'junction')
  else cpSync(join(PROJECT, path), join(folder, path), { recursive: true })
}

function countEvents(home: string, type: string): number {
  const db = new Database(join(home, 'espalier.db'), { readonly: true })
  try {
    return Number(db.prepare('SELECT count(*) FROM event WHERE type = ?').pluck().get(type))
  } finally {
    db.close()
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { openStore } from '../store/store-client.ts'
import { bannersOf, openFolder } from './fixtures/damaged-folder.ts'

let at: string
let data: string
beforeEach(async () => {
  at = mkdtempSync(join(tmpdir(), 'espalier-wal-'))
  data = join(at, 'data')
  mkdirSync(data, { mode: 0o700 })
  const store = await openStore({ dataFolder: data })
  await store.persistence.create({ version: 1, id: toSessionId('early'), createdAt: 1 }, [message(0)])
  await store.close()
  await writeAndBeKilled()
})
afterEach(() => rmSync(at, { recursive: true, force: true }))

function message(seq: number) {
  const content = [{ type: 'text', text: 'hello' }]
  return { seq, time: 1, type: 'user/message', data: { id: `m${seq}`, source: { kind: 'person' }, content } }
}

/** A process of its own saves a session and is killed with SIGKILL: what it saved lies in the WAL. */
async function writeAndBeKilled(): Promise<void> {
  const script = new URL('./fixtures/save-and-wait.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [script, data], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
  expect(statSync(join(data, 'espalier.db-wal')).size).toBeGreaterThan(0)
}

test('what a killed process saved is there: the WAL is taken in', async () => {
  const opened = await openFolder(at)
  expect(opened.workbench.store.opening).toEqual({ afterCrash: true })
  const { sessions } = await opened.client.sessions.list({})
  expect(sessions.map(({ header }) => header.id).toSorted()).toEqual(['early', 'late'])
  await opened.close()
})

test('a WAL that was deleted after a kill is named by the doctor and said in the window; what is left is there', async () => {
  rmSync(join(data, 'espalier.db-wal'))
  const { examineFolder } = await import('../examine-folder.ts')
  expect((await examineFolder(data)).findings).toEqual([expect.stringContaining('espalier.db-wal')])
  // Looking has opened the database; the sign is as it was.
  if (existsSync(join(data, 'espalier.db-wal'))) rmSync(join(data, 'espalier.db-wal'))

  const opened = await openFolder(at)
  expect(opened.workbench.store.opening).toEqual({ missing: 'wal', afterCrash: true })
  const { sessions } = await opened.client.sessions.list({})
  expect(sessions.map(({ header }) => header.id)).toEqual(['early'])
  const banner = (await bannersOf(opened.workbench)).get('rescued')
  expect(banner?.text).toMatch(/Espalier was killed.*espalier\.db-wal.*There is no backup/)
  await opened.close()

  const again = await openFolder(at)
  expect(again.workbench.store.opening).toEqual({})
  await again.close()
})

test.each(['empty', 'gone'])('a database that is %s beside a WAL is rescued from it', async how => {
  if (how === 'empty') truncateSync(join(data, 'espalier.db'))
  else rmSync(join(data, 'espalier.db'))
  const opened = await openFolder(at)
  const { sessions } = await opened.client.sessions.list({})
  expect(sessions.map(({ header }) => header.id)).toContain('late')
  expect((await bannersOf(opened.workbench)).has('rescued')).toBe(true)
  await opened.close()
})

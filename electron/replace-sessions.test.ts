import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLog } from './log.ts'
import { type HostedWorkbench, openWorkbench } from './open-workbench.ts'
import type { WorkbenchClient } from './rpc/transport/local-client.ts'
import { createPeerHost, type ServedRouter } from './rpc/transport/peer.ts'

let folder: string
let hosted: HostedWorkbench
/** What a window is served now. */
let router: ServedRouter
const open = () =>
  openWorkbench({
    shell: 'browser',
    dataFolder: join(folder, 'data'),
    viewOnly: false,
    workspace: folder,
    secrets: { place: 'nowhere', get: () => null, known: () => [], set: async () => {} },
    log: silentLog,
  })

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-replace-'))
  hosted = await open()
  router = hosted.router
  hosted.onReplaced(next => {
    router = next
  })
})
afterEach(async () => {
  await hosted.close()
  rmSync(folder, { recursive: true, force: true })
})

function client(): WorkbenchClient {
  return createRouterClient(router, { context: { connection: { id: 'window' } } }) as WorkbenchClient
}

async function titles(): Promise<(string | null)[]> {
  const { sessions } = await client().sessions.list({})
  return sessions.map(({ title }) => title).toSorted()
}

async function session(title: string): Promise<void> {
  const { sessionId } = await client().sessions.create({ cwd: folder })
  await client().sessions.rename({ sessionId, title })
}

test('a restore opens the workbench anew in this process, and can be taken back by another one', async () => {
  const before = router
  await session('Before')
  const { name } = await client().backups.create()
  await session('After')
  const all = await titles()
  expect(all).toEqual(expect.arrayContaining(['After', 'Before']))

  const restored = await client().backups.restore({ name, stopWork: true })
  expect(restored.kept).toMatch(/^backups\/espalier-.*-before-restore\.db$/)
  await expect.poll(() => router !== before).toBe(true)
  expect(await titles()).not.toContain('After')
  expect(await titles()).toContain('Before')
  await session('Goes on')

  await client().backups.restore({ name: restored.kept?.replace('backups/', '') ?? '', stopWork: true })
  await expect.poll(titles).toEqual(all)
}, 60_000)

test('a backup that cannot be used changes nothing and closes nothing', async () => {
  const before = router
  await session('Here')
  await expect(client().backups.restore({ name: 'espalier-none.db', stopWork: true })).rejects.toMatchObject({
    code: 'BAD_REQUEST',
  })
  await session('Still here')
  expect(await titles()).toEqual(expect.arrayContaining(['Here', 'Still here']))
  expect(router).toBe(before)
  expect(readdirSync(join(folder, 'data')).filter(name => name.startsWith('next'))).toEqual([])
}, 60_000)

test('whoever is connected is told to connect anew, and is then served what was restored', () => {
  const host = createPeerHost(router, silentLog)
  const closed: string[] = []
  const line = (name: string) => ({ send: async () => {}, close: () => void closed.push(name) })
  host.connect(line('a'))
  host.connect(line('b')).gone()
  host.serve(router, 'The sessions were replaced by a backup.')
  expect(closed).toEqual(['a'])
})

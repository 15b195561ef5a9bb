import { readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { WorkbenchError } from '#shared/errors.ts'
import { textContent } from '#shared/session/content.ts'
import { createScriptedModel } from '../../model/scripted-model.ts'
import { createRouter } from '../../rpc/router.ts'
import { databaseFile } from '../../store/data-folder.ts'
import { sessionsFolder } from '../../store/jsonl/format.ts'
import { openStore } from '../../store/store-client.ts'
import { openTestWorkbench, type TestWorkbench } from '../../workbench-fixture.ts'
import {
  child,
  continuable,
  id,
  logOf,
  makeDataFolder,
  malformed,
  note,
  oneShot,
  openCatalog,
  PARENT,
  type TestCatalog,
  turn,
} from './fixtures/catalog-fixture.ts'
import { listChildren } from './list-children.ts'
import { listDescendants } from './list-descendants.ts'

/*
 * The six weaknesses that the design accepts in its plain rows (contracts §6.7), each seen by who asks for more, and
 * the plain rows as they were, key by key. All of it holds for sessions in a database and in files alike.
 */

const inherited = [continuable('Ancestor'), ...turn]
const extras = { with: ['facts', 'warnings', 'detail'] as const }

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function open(files: boolean, at?: string): Promise<TestCatalog> {
  const catalog = await openCatalog({ files, ...(at !== undefined && { at }) })
  closing.push(catalog.close)
  return catalog
}

/** The whole workbench as a window sees it, over such a data folder. */
async function openWindow(files: boolean) {
  const dataFolder = await makeDataFolder(files)
  const bench: TestWorkbench = await openTestWorkbench({
    model: createScriptedModel(() => 'Hello.'),
    openStore: options => openStore({ ...options, dataFolder }),
  })
  closing.push(bench.dispose, () => rm(dataFolder, { recursive: true, force: true }))
  const client = createRouterClient(createRouter(bench.workbench), { context: { connection: { id: 'w' } } })
  return { client, persistence: bench.workbench.store.persistence }
}

/** Three children of the same log: one loses an event in its middle, one gets an event that is none. */
async function makeDamaged(files: boolean): Promise<string> {
  const folder = await makeDataFolder(files)
  const store = await openStore({ dataFolder: folder })
  for (const name of ['gap', 'garbled', 'whole'])
    await store.persistence.create(child(name), logOf([oneShot(name), note('x'), note('y')]))
  await store.close()
  if (files) {
    editLog(folder, 'gap', lines => lines.toSpliced(1, 1))
    editLog(folder, 'garbled', lines => lines.with(1, '{"seq":1,"time":'))
    return folder
  }
  const db = new Database(databaseFile(folder))
  const ofSession = 'WHERE seq = 1 AND session_key = (SELECT key FROM session WHERE id = ?)'
  db.prepare(`DELETE FROM event ${ofSession}`).run('gap')
  db.prepare(`UPDATE event SET data = '{' ${ofSession}`).run('garbled')
  db.close()
  return folder
}

function editLog(folder: string, name: string, change: (lines: readonly string[]) => string[]): void {
  const file = join(sessionsFolder(folder), name, 'log.jsonl')
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  writeFileSync(file, `${change(lines).join('\n')}\n`)
}

describe.each([
  ['a database', false],
  ['files', true],
])('with sessions in %s', (_, files) => {
  it('stillborn fork: it lists under its ancestor’s identity, and says so; it cannot be resumed', async () => {
    const { client, persistence } = await openWindow(files)
    await persistence.create(child('a', { seedLength: inherited.length }), logOf(inherited))

    const { entries } = await client.subagents.children({ parentId: PARENT, with: ['warnings'] })
    const sent = client.subagents.send({ childId: id('a'), content: textContent('Go on') })

    expect(entries).toMatchObject([
      { id: 'a', mode: 'continuable', label: 'Ancestor', warnings: ['identity-from-seed'] },
    ])
    await expect(sent).rejects.toMatchObject({ code: 'NOT_RESUMABLE' })
  })

  it('several descriptors: the last one makes the row, and they are counted, whatever is read', async () => {
    const catalog = await open(files)
    const own = [oneShot('First'), continuable('Last')]
    const seen = { id: 'a', mode: 'continuable', label: 'Last', warnings: ['several-descriptors'] }
    const header = await catalog.cold('a', own)
    const list = () => listChildren(catalog.deps, PARENT, extras)

    expect(await list()).toMatchObject([seen])
    await catalog.checkpoint(header, own)
    expect(await list()).toMatchObject([seen])
    expect(catalog.reads.logs).toEqual(['a'])
    const session = catalog.live.adopt(await catalog.store.persistence.load(header.id))
    expect(await list()).toMatchObject([{ ...seen, activity: 'running' }])
    await catalog.live.dispose(session)
  })

  it('several descriptors: an inherited one is not one of them', async () => {
    const catalog = await open(files)
    await catalog.cold('a', [...inherited, oneShot('Own')], { seedLength: inherited.length })

    const [row] = await listChildren(catalog.deps, PARENT, extras)

    expect(row).toMatchObject({ mode: 'one-shot', label: 'Own' })
    expect(row).not.toHaveProperty('warnings')
  })

  it('header conflict: the live record makes the row, and the stored one is said to differ', async () => {
    const catalog = await open(files)
    await catalog.running('a', [oneShot('Live')])
    const { persistence } = catalog
    const list: typeof persistence.list = async (...args) => {
      const { sessions, ...rest } = await persistence.list(...args)
      const changed = sessions.map(one => ({ ...one, header: { ...one.header, delegationDepth: 7 } }))
      return { ...rest, sessions: changed }
    }

    const rows = await listChildren(
      { ...catalog.deps, persistence: { ...persistence, list } },
      PARENT,
      extras,
    )

    expect(rows).toMatchObject([
      { id: 'a', activity: 'running', label: 'Live', warnings: ['header-conflict'] },
    ])
    expect(await listChildren(catalog.deps, PARENT)).toHaveLength(1)
  })

  it('damaged storage and a passing failure: one reason, told apart in the detail', async () => {
    const catalog = await open(files, await makeDamaged(files))
    const { persistence } = catalog
    const inspectFolded: typeof persistence.inspectFolded = (...args) =>
      args[0] === 'whole'
        ? Promise.reject(new WorkbenchError('STORE_UNAVAILABLE', 'not now'))
        : persistence.inspectFolded(...args)
    const failing = { ...catalog.deps, persistence: { ...persistence, inspectFolded } }

    expect(await listChildren(failing, PARENT, { with: ['detail'] })).toEqual([
      {
        kind: 'diagnostic',
        id: 'gap',
        reason: 'unavailable',
        detail: { cause: 'log-gap' },
        label: 'gap',
      },
      {
        kind: 'diagnostic',
        id: 'garbled',
        reason: 'unavailable',
        detail: { cause: 'log-undecodable' },
        label: 'garbled',
      },
      {
        kind: 'diagnostic',
        id: 'whole',
        reason: 'unavailable',
        detail: { cause: 'read-failed', code: 'STORE_UNAVAILABLE' },
      },
    ])
    expect(await listChildren(catalog.deps, PARENT)).toMatchObject([
      { id: 'gap', reason: 'unavailable' },
      { id: 'garbled', reason: 'unavailable' },
      { id: 'whole', kind: 'child' },
    ])
  })

  it('unknown parent: it lists as empty, while what a window opens it with says that there is none', async () => {
    const { client } = await openWindow(files)
    const nobody = id('nobody')

    expect(await client.subagents.children({ parentId: nobody })).toEqual({ entries: [] })
    expect(await client.subagents.descendants({ rootId: nobody })).toEqual({ entries: [] })
    const notFound = { code: 'SESSION_NOT_FOUND' }
    await expect(client.sessions.get({ sessionId: nobody })).rejects.toMatchObject(notFound)
    await expect(client.history.page({ sessionId: nobody })).rejects.toMatchObject(notFound)
  })

  it('later descriptor: a checkpoint that does not know of it loses to the log', async () => {
    const catalog = await open(files)
    const header = await catalog.cold('a', [oneShot('First'), note('x'), continuable('Later')])
    await catalog.checkpoint(header, [oneShot('First')])
    const reset = await catalog.cold('b', [oneShot('First'), malformed])
    await catalog.checkpoint(reset, [oneShot('First')])

    expect(await listChildren(catalog.deps, PARENT, extras)).toMatchObject([
      { id: 'a', mode: 'continuable', label: 'Later', warnings: ['several-descriptors'] },
      { id: 'b', reason: 'corrupt', detail: { cause: 'descriptor-malformed' } },
    ])
    expect(catalog.reads.logs).toEqual(['a', 'b'])
  })

  it('plain rows: exactly these keys and no other, whatever there would be to say', async () => {
    const catalog = await open(files, await makeDamaged(files))
    await catalog.cold('seeded', inherited, { seedLength: inherited.length, cwd: '/gone' })
    const twice = [oneShot('One'), oneShot('Two')]
    await catalog.checkpoint(await catalog.cold('twice', twice), twice)
    await catalog.cold('silent', [malformed])
    await catalog.cold('unlabelled', [oneShot(), ...turn])
    await catalog.running('working', [continuable('Runs'), ...turn])
    await catalog.running('unsaid', [note('hello')])
    await catalog.cold('below', [oneShot('Below')], { parentSession: id('twice') })
    const deps = { ...catalog.deps, isFolderMissing: async () => true }
    const cold = { kind: 'child', activity: 'inactive', hasChildren: false }

    const plain = await listChildren(deps, PARENT)

    expect(plain).toStrictEqual([
      { kind: 'diagnostic', id: 'gap', reason: 'unavailable' },
      { kind: 'diagnostic', id: 'garbled', reason: 'unavailable' },
      { ...cold, id: 'seeded', mode: 'continuable', label: 'Ancestor' },
      { kind: 'diagnostic', id: 'silent', reason: 'corrupt' },
      { ...cold, id: 'twice', hasChildren: true, mode: 'one-shot', label: 'Two' },
      { ...cold, id: 'unlabelled', mode: 'one-shot' },
      { ...cold, id: 'whole', mode: 'one-shot', label: 'whole' },
      { ...cold, id: 'working', activity: 'running', mode: 'continuable', label: 'Runs' },
    ])
    const direct = plain.map(row => ({ ...row, parentId: PARENT, depth: 1 }))
    const below = { ...cold, id: 'below', mode: 'one-shot', label: 'Below', parentId: 'twice', depth: 2 }
    expect(await listDescendants(deps, PARENT)).toStrictEqual([
      ...direct.slice(0, 5),
      below,
      ...direct.slice(5),
    ])
    const full = await listChildren(deps, PARENT, extras)
    expect(full.map((row, index) => ({ ...row, ...plain[index] }))).toStrictEqual(full)
  })
})

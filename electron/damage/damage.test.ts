import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { cutTo, edit, flip, flipPage, leavesOf, withoutKeyOfEvents } from '../store/backup/fixtures/damage.ts'
import {
  bannersOf,
  CHILDREN,
  type DamageBench,
  lookAtTree,
  type OpenedFolder,
  openDamageBench,
  openFolder,
  ROOTS,
} from './fixtures/damaged-folder.ts'

let bench: DamageBench
let opened: OpenedFolder | null = null
beforeAll(async () => {
  bench = await openDamageBench()
}, 60_000)
afterAll(() => bench.dispose())
afterEach(async () => {
  await opened?.close()
  opened = null
})

/** Opens a copy that `damage` was done to. */
async function openDamaged(damage: (dataFolder: string) => void) {
  const at = bench.copy()
  const data = join(at, 'data')
  damage(data)
  opened = await openFolder(at)
  return { ...opened, at, data }
}

function page(dataFolder: string, name: string, index: number): number {
  const found = leavesOf(dataFolder, name).at(index)
  if (found === undefined) throw new Error(`${name} has no such page`)
  return found
}

/** Key of the second session: the first child. */
const CHILD = 2

describe('one damaged page', () => {
  test.each([
    ['in the middle of a log', (f: string) => flipPage(f, page(f, 'event', 20))],
    ['at the end of the last log', (f: string) => flipPage(f, page(f, 'event', -1))],
    ['at the beginning of a log', (f: string) => flipPage(f, page(f, 'event', 0))],
  ])('of events, %s, costs at most the two sessions on it', async (_, damage) => {
    const folder = await openDamaged(damage)
    const { roots, entries, pages } = await lookAtTree(folder, bench.root)
    expect(roots).toBe(ROOTS)
    expect(entries).toHaveLength(CHILDREN)
    expect(pages.filter(one => typeof one === 'string')).toEqual([])
    const whole = pages.filter(one => typeof one !== 'string' && one.damage.length === 0)
    expect(whole.length).toBeGreaterThanOrEqual(CHILDREN - 2)
    for (const one of whole) expect(one).toMatchObject({ nextBefore: null, endSeq: 200 })
  })

  test.each([
    'event_turn',
    'event_descriptor',
    'event_asked',
    'checkpoint_row',
    'checkpoint',
    'checkpoint_waiting',
  ])('of %s costs no session anything', async name => {
    const folder = await openDamaged(f => flipPage(f, page(f, name, 0)))
    const { roots, entries, pages } = await lookAtTree(folder, bench.root)
    expect(roots).toBe(ROOTS)
    expect(entries.map(({ kind }) => kind)).toEqual(Array.from({ length: CHILDREN }, () => 'child'))
    for (const one of pages) expect(one).toMatchObject({ damage: [], endSeq: 200 })
  })

  test('at the end of a log keeps that log from growing, and no other from being saved', async () => {
    const folder = await openDamaged(f => flipPage(f, page(f, 'event', -1)))
    const { persistence } = folder.workbench.store
    const { sessions } = await persistence.list({ kind: 'all' })
    const content = [{ type: 'text', text: 'still here' }]
    const batches = sessions.map(({ header: { id }, endSeq }) => ({
      sessionId: id,
      expectedSeq: endSeq,
      events: [
        {
          seq: endSeq,
          time: 1,
          type: 'user/message',
          data: { id: 'm', source: { kind: 'person' }, content },
        },
      ],
    }))
    const results = await persistence.append(batches)
    const kept = results.filter(result => result === 'written').length
    // On the last page are the short logs of the other roots, and the end of the last child's.
    expect(kept).toBeGreaterThanOrEqual(ROOTS + CHILDREN - 4)
    expect(kept).toBeLessThan(ROOTS + CHILDREN)
    await folder.test.until(async () => (await bannersOf(folder.workbench)).has('damaged'))
  })

  test('met while the sessions are in use is said, and rescued by the next start', async () => {
    const folder = await openDamaged(f => flipPage(f, page(f, 'event', 20)))
    const before = await lookAtTree(folder, bench.root)
    await folder.test.until(async () => (await bannersOf(folder.workbench)).has('damaged'))
    const banner = (await bannersOf(folder.workbench)).get('damaged')
    expect(banner?.level).toBe('alert')
    expect(banner?.text).toMatch(/is damaged.*start Espalier again.*There is no backup/)
    await folder.close()

    opened = await openFolder(folder.at)
    const { sessions = [], kept } = opened.workbench.store.opening.rescued ?? {}
    expect(sessions).toHaveLength(ROOTS + CHILDREN)
    expect(sessions.filter(({ lost }) => lost > 0).length).toBeLessThanOrEqual(2)
    expect(kept).toMatch(/^damaged\/espalier-/)
    expect(await opened.workbench.store.persistence.check()).toHaveLength(1)
    const after = await lookAtTree(opened, bench.root)
    // At least what could be read before: a rescue looks closer.
    for (const [index, one] of after.pages.entries()) {
      const seen = before.pages[index]
      if (typeof one === 'string' || typeof seen !== 'object') throw new Error(`not readable: ${one}`)
      expect(one.events).toEqual(expect.arrayContaining([...seen.events]))
    }
  })
})

describe('a damaged log', () => {
  const inLog = (sql: string) => (f: string) => edit(f, sql)

  test.each([
    [
      'deleted rows in the middle',
      `DELETE FROM event WHERE session_key = ${CHILD} AND seq BETWEEN 40 AND 59`,
      { kind: 'log-gap', fromSeq: 40, toSeq: 59 },
      /lacks 20 events \(40 to 59\)/,
    ],
    [
      'deleted rows at the end',
      `DELETE FROM event WHERE session_key = ${CHILD} AND seq >= 190`,
      { kind: 'damaged-tail', fromSeq: 190, lost: 10 },
      /lost its last 10 events, from 190 on/,
    ],
    [
      'a row that is no JSON',
      `UPDATE event SET data = '{"a":' WHERE session_key = ${CHILD} AND seq = 77`,
      { kind: 'log-undecodable', seq: 77 },
      /1 event that cannot be read \(77\)/,
    ],
  ])(
    'with %s costs its own row alone, can be read on both sides, and is named',
    async (_, sql, damage, said) => {
      const folder = await openDamaged(inLog(sql))
      const { roots, entries, pages } = await lookAtTree(folder, bench.root)
      expect([roots, entries.length]).toEqual([ROOTS, CHILDREN])
      expect(pages.filter(one => typeof one === 'string')).toEqual([])
      const hurt = pages.flatMap(one => (typeof one === 'string' ? [] : [...one.damage]))
      expect(hurt).toEqual([damage])
      const findings = await folder.client.diagnostics.doctor()
      expect(findings.findings.filter(one => said.test(one))).toHaveLength(1)
      expect(findings.findings.every(one => /Session|checkpoint/.test(one))).toBe(true)
    },
  )

  test('with an event of an unknown kind can be read and not resumed', async () => {
    const { workbench, client } = await openDamaged(
      inLog(`UPDATE event SET type = 'future/thing' WHERE session_key = ${CHILD} AND seq = 5`),
    )
    const { entries } = await client.subagents.children({ parentId: bench.root })
    const { findings } = await client.diagnostics.doctor()
    expect(findings).toHaveLength(1)
    const id = entries.find(entry => findings[0]?.includes(entry.id))?.id
    if (id === undefined) throw new Error(`no child is named: ${findings.join()}`)
    expect((await client.history.page({ sessionId: id, limit: 1000 })).damage).toEqual([])
    await expect(workbench.store.persistence.load(id)).rejects.toMatchObject({ code: 'SESSION_DAMAGED' })
  })

  test('with a header of a future version is a record of nobody, and named', async () => {
    const { client } = await openDamaged(inLog(`UPDATE session SET version = 7 WHERE key = ${CHILD}`))
    const { sessions, unreadable } = await client.sessions.list({})
    expect(sessions).toHaveLength(ROOTS)
    expect(unreadable).toMatchObject([{ problem: expect.stringContaining('newer version') }])
    const { entries } = await client.subagents.children({ parentId: bench.root })
    expect(entries).toHaveLength(CHILDREN - 1)
    expect((await client.diagnostics.doctor()).findings).toMatchObject([
      expect.stringContaining('newer version'),
    ])
  })

  test('with two events of one seq shows the first, and is named', async () => {
    const folder = await openDamaged(f => {
      withoutKeyOfEvents(f)
      edit(
        f,
        `INSERT INTO event SELECT session_key, seq, time, type, '{"second":true}', ignorable FROM event
         WHERE session_key = ${CHILD} AND seq = 30`,
      )
    })
    const { roots, entries, pages } = await lookAtTree(folder, bench.root)
    expect([roots, entries.length, pages.filter(one => typeof one === 'string')]).toEqual([
      ROOTS,
      CHILDREN,
      [],
    ])
    const { findings } = await folder.client.diagnostics.doctor()
    expect(findings.filter(one => one.includes('holds 1 event twice'))).toHaveLength(1)
  })
})

describe('a damaged database', () => {
  test.each([
    ['whose header was overwritten', (f: string) => flip(f, 0, 100), 0],
    ['whose first page was overwritten', (f: string) => flipPage(f, 1), 0],
    ['whose table of sessions was overwritten', (f: string) => flipPage(f, page(f, 'session', 0)), 0],
    ['whose index of sessions was overwritten', (f: string) => flipPage(f, page(f, 'session_root', 0)), 0],
    ['that was cut off', (f: string) => cutTo(f, 0.6), 0.5],
  ])('%s is put aside, and what can be read of it is there', async (_, damage, mostLost) => {
    const folder = await openDamaged(damage)
    const { sessions = [] } = folder.workbench.store.opening.rescued ?? {}
    expect(sessions).toHaveLength(ROOTS + CHILDREN)
    const lost = sessions.reduce((sum, one) => sum + one.lost, 0)
    const kept = sessions.reduce((sum, one) => sum + one.kept, 0)
    expect(lost / (lost + kept)).toBeLessThanOrEqual(mostLost)
    const { roots, entries, pages } = await lookAtTree(folder, bench.root)
    expect([roots, entries.length]).toEqual([ROOTS, CHILDREN])
    expect(pages.filter(one => typeof one === 'string')).toEqual([])
    expect(readdirSync(join(folder.data, 'damaged'))).toHaveLength(2)
    const banner = (await bannersOf(folder.workbench)).get('rescued')
    expect(banner?.text).toMatch(/^The session database was damaged.* of 16 sessions kept every event/)
  })

  test.each([
    ['an empty file', (f: string) => writeFileSync(join(f, 'espalier.db'), '')],
    [
      'a file of another kind',
      (f: string) => writeFileSync(join(f, 'espalier.db'), 'Dear diary, '.repeat(3000)),
    ],
  ])('with %s in its place is put aside; a backup is offered', async (_, damage) => {
    const at = bench.copy()
    const first = await openFolder(at)
    const { name } = await first.client.backups.create()
    await first.close()
    damage(join(at, 'data'))
    opened = await openFolder(at)
    expect((await opened.client.sessions.list({})).sessions).toEqual([])
    const banner = (await bannersOf(opened.workbench)).get('rescued')
    expect(banner?.text).toContain('No session in it could be read.')
    expect(banner?.action).toEqual({ call: 'restore-backup', label: 'Restore backup', name })
    expect(readdirSync(join(at, 'data', 'damaged'))).toHaveLength(2)
  })

  test('that is gone while there are backups of it is said, with the newest', async () => {
    const at = bench.copy()
    const first = await openFolder(at)
    const { name } = await first.client.backups.create()
    await first.close()
    rmSync(join(at, 'data', 'espalier.db'))
    opened = await openFolder(at)
    const banner = (await bannersOf(opened.workbench)).get('rescued')
    expect(banner).toMatchObject({ level: 'alert', action: { call: 'restore-backup', name } })
    expect(banner?.text).toContain('The session database is gone')
  })

  test('that cannot be opened for another reason is never taken for damaged', async () => {
    const at = bench.copy()
    edit(join(at, 'data'), 'PRAGMA user_version = 900')
    opened = await openFolder(at)
    expect(opened.workbench.store.readOnly).toBe(true)
    expect(opened.workbench.store.opening).toEqual({})
    expect(readdirSync(join(at, 'data'))).not.toContain('damaged')
    expect((await bannersOf(opened.workbench)).get('read-only')?.text).toMatch(/newer/)
  })
})

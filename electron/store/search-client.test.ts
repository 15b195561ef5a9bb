import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { log, sessionHeader, user } from './fixtures/logs.ts'
import { searchFile } from './search/search-file.ts'
import { openStore, type Store, type StoreOptions } from './store-client.ts'

let folder = ''
let store: Store
let notes: string[] = []
const open = async (more: Partial<StoreOptions> = {}) => {
  store = await openStore({ dataFolder: folder, onNote: note => notes.push(note), ...more })
}
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-search-client-'))
  notes = []
  await open()
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const S = toSessionId('s')
const ask = (text: string) => store.search.query({ text, limit: 1000, cursor: null, sessions: null })
const find = async (text: string) => (await ask(text)).events.map(({ seq }) => seq)

async function untilReady(): Promise<void> {
  const deadline = performance.now() + 20_000
  while ((await store.search.status()).state !== 'ready') {
    if (performance.now() > deadline) throw new Error('the index never was ready')
    await setTimeout(20)
  }
}

describe('the index in the store thread', { timeout: 30_000 }, () => {
  it('is made while nobody asks for anything, and hears of what is logged', async () => {
    await store.persistence.create(sessionHeader('s'), log([user('first needle')]))
    await untilReady()
    const before = await find('needle')
    await store.persistence.append([
      { sessionId: S, expectedSeq: 1, events: log([user('second needle')], 1) },
    ])
    await untilReady()

    expect(before).toEqual([0])
    expect((await find('needle')).sort()).toEqual([0, 1])
    expect(notes).toEqual([])
  })

  it('grows beside appends, and every one of them is in the log and in the index', async () => {
    await store.persistence.create(
      sessionHeader('old'),
      log(Array.from({ length: 5000 }, () => user('old '.repeat(50)))),
    )
    await store.persistence.create(sessionHeader('s'), [])
    for (let seq = 0; seq < 300; seq += 1) {
      const [result] = await store.persistence.append([
        { sessionId: S, expectedSeq: seq, events: log([user(`needle n${seq}`)], seq) },
      ])
      expect(result).toBe('written')
      if (seq % 10 === 0) await setTimeout(5)
    }
    await untilReady()

    expect(await find('needle')).toHaveLength(300)
    expect((await store.search.status()).indexedEvents).toBe(5300)
  })

  it('is used as it is by a reader, who makes none', async () => {
    await store.persistence.create(sessionHeader('s'), log([user('needle')]))
    await untilReady()
    await store.close()
    await open({ readOnly: true })
    const found = await find('needle')
    await store.close()
    rmSync(searchFile(folder))
    await open({ readOnly: true })

    expect(found).toEqual([0])
    expect(await ask('needle')).toMatchObject({ events: [], status: { state: 'unavailable' } })
    expect(existsSync(searchFile(folder))).toBe(false)
  })

  it('says in the log when it is made anew', async () => {
    await store.persistence.create(sessionHeader('s'), log([user('needle')]))
    await untilReady()
    await store.close()
    const db = new Database(searchFile(folder))
    db.pragma('user_version = 99')
    db.close()
    await open()
    await untilReady()

    expect(await find('needle')).toEqual([0])
    expect(notes).toEqual([
      'The search index was thrown away, because it was made by another version; it is made anew.',
    ])
  })
})

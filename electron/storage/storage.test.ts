import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StoredUsage, UsageReader } from '../store/stored-usage.ts'
import { folderSizes } from './folder-sizes.ts'
import { Storage, type StorageDeps } from './storage.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-storage-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(path: string, bytes: number): void {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), Buffer.alloc(bytes))
}

const USAGE: StoredUsage = {
  trees: [],
  all: { trees: 2, sessions: 5, bytes: 600 },
  trash: [{ id: 'a', bytes: 100 }],
  free: 50,
}

function open(change: Partial<StorageDeps> & { readonly measure?: UsageReader['measure'] } = {}) {
  const calls = { measured: 0, compacted: 0 }
  const { measure = async () => USAGE, ...deps } = change
  let now = 1_000_000
  const storage = new Storage({
    dataFolder: folder,
    usage: {
      measure: onProgress => {
        calls.measured += 1
        return measure(onProgress)
      },
      compact: async () => {
        calls.compacted += 1
      },
    },
    readOnly: false,
    running: () => false,
    now: () => now,
    onError: error => {
      throw error
    },
    ...deps,
  })
  const settled = async () => {
    while (storage.state().measuring !== null) await new Promise(resolve => setTimeout(resolve, 2))
    return storage.state()
  }
  return { storage, calls, settled, pass: (ms: number) => (now += ms) }
}

describe('what uses space', () => {
  it('is told by what the files are for; a link counts for nothing', async () => {
    write('espalier.db', 1000)
    write('espalier.db-wal', 30)
    write('search.db', 200)
    write('search.db-shm', 1)
    write('backups/espalier-1.db', 400)
    write('damaged/espalier-2.db/part', 70)
    write('logs/main.log', 60)
    write('settings.json', 5)
    write('sessions/one/log.jsonl', 9000)
    symlinkSync(join(folder, 'espalier.db'), join(folder, 'elsewhere'))

    expect(await folderSizes(folder)).toEqual({
      store: 1030,
      search: 201,
      backups: 400,
      damaged: 70,
      logs: 60,
      other: 5,
    })
  })

  it('adds up to the total, each part once', async () => {
    write('espalier.db', 1000)
    write('logs/main.log', 60)
    const { storage, settled } = open()

    storage.state()
    const { usage } = await settled()

    expect(usage?.parts).toEqual({
      sessions: 600,
      trash: 100,
      index: 250,
      free: 50,
      search: 0,
      backups: 0,
      damaged: 0,
      logs: 60,
      other: 0,
    })
    expect(usage?.total).toBe(1060)
  })

  it('is measured once for all who ask, and again when it is old or wished', async () => {
    const { storage, settled, calls, pass } = open()
    storage.state()
    storage.state()
    await settled()
    storage.state()
    expect(calls.measured).toBe(1)

    storage.state(true)
    await settled()
    expect(calls.measured).toBe(2)

    pass(60_000)
    storage.state()
    await settled()
    expect(calls.measured).toBe(3)
  })

  it('says how far it is, and why it did not work, and keeps what it knew', async () => {
    let fail = false
    const gate = Promise.withResolvers<void>()
    const measure: UsageReader['measure'] = async onProgress => {
      if (fail) throw new Error('The disk is gone.')
      onProgress({ measured: 3, sessions: 9 })
      await gate.promise
      return USAGE
    }
    const { storage, settled } = open({ measure })
    storage.state()
    expect(storage.state()).toMatchObject({ usage: null, measuring: { measured: 3, sessions: 9 } })
    gate.resolve()
    await settled()

    fail = true
    storage.state(true)
    expect(await settled()).toMatchObject({ problem: 'The disk is gone.', usage: { sessions: 5 } })
  })
})

describe('compacting', () => {
  it('is refused while something runs, where nothing can be written, and is done once', async () => {
    const busy = open({ running: () => true })
    await expect(busy.storage.compact()).rejects.toMatchObject({ code: 'WORK_RUNNING' })
    const readOnly = open({ readOnly: true })
    await expect(readOnly.storage.compact()).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
    expect(busy.calls.compacted + readOnly.calls.compacted).toBe(0)

    const idle = open()
    await Promise.all([idle.storage.compact(), idle.storage.compact()])
    expect(idle.calls.compacted).toBe(1)
  })
})

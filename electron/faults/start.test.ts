import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import type { SessionId } from '#shared/session/ids.ts'
import { createScriptedModel } from '../model/scripted-model.ts'
import { openTestWorkbench } from '../workbench-fixture.ts'
import { closeAfterEach } from './fixtures/cleanup.ts'
import { watchBanner, within } from './fixtures/fault-bench.ts'
import { lockFromOutside } from './fixtures/lock-holder.ts'
import { startShell } from './fixtures/run-shell.ts'
import { mountSmallDisk, noSmallDisk, type SmallDisk } from './fixtures/small-disk.ts'

/*
 * Starting on a disk that is full, can only be read, or holds a database that another program has locked: the real
 * browser shell as a process. Never a stack, nothing lost, and what is there can be looked at where it can.
 */

const atEnd = closeAfterEach()
const STACK = /\n\s+at |node:internal|Error:/

function mount(): SmallDisk {
  const small = mountSmallDisk(8)
  atEnd(small.unmount)
  return small
}

function folder(): string {
  const at = mkdtempSync(join(tmpdir(), 'espalier-start-'))
  atEnd(() => rmSync(at, { recursive: true, force: true }))
  return at
}

/** A data folder with one session in it. */
async function withSession(at: string): Promise<{ root: SessionId; dataFolder: string }> {
  const one = await openTestWorkbench({ model: createScriptedModel(() => 'Hello.'), at })
  const root = await one.root()
  await one.prompt(root, 'Keep this')
  await one.workbench.close()
  return { root, dataFolder: one.dataFolder }
}

async function expectViewOnly(at: string, root: SessionId, text: RegExp) {
  const one = await openTestWorkbench({ model: createScriptedModel(() => 'Never.'), at, viewOnly: true })
  const texts: string[] = []
  const abort = new AbortController()
  const { streams, store } = one.workbench
  for await (const { frames } of streams.subscribe('w', { open: [], listed: [] }, abort.signal)) {
    for (const frame of frames) if (frame.kind === 'banner') texts.push(frame.banner?.text ?? '')
    abort.abort()
  }
  expect(texts).toEqual([expect.stringMatching(text)])
  expect((await store.persistence.list({ kind: 'roots' })).sessions.map(({ header }) => header.id)).toEqual([
    root,
  ])
  expect(JSON.stringify(await one.workbench.store.persistence.page(root, { limit: 50 }))).toContain(
    'Keep this',
  )
  expect((await one.workbench.store.checkpoints.snapshot(root)).values).toHaveProperty('title')
  await expect(one.send(root, 'More')).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
  await expect(one.root()).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
  await one.workbench.close()
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

const copies = () => readdirSync(tmpdir()).filter(name => name.startsWith('espalier-view-'))

describe.skipIf(noSmallDisk !== null)(
  `starting on a file system mounted read-only (${noSmallDisk ?? 'tmpfs'})`,
  () => {
    it('shows what is there and refuses every change in words', async () => {
      const small = mount()
      const { root, dataFolder } = await withSession(small.path)
      const before = hashOf(join(dataFolder, 'espalier.db'))
      const copiesBefore = copies()
      small.setReadOnly(true)

      await expectViewOnly(small.path, root, /^The data folder can only be read: .* Make it writable/)

      const shell = await startShell(dataFolder)
      expect(shell.isReady).toBe(true)
      const { exitCode, err } = await shell.stop()
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' })
      expect(hashOf(join(dataFolder, 'espalier.db'))).toBe(before)
      expect(copies()).toEqual(copiesBefore)
    })

    it('shows also what the last process had saved when it was killed', async () => {
      const small = mount()
      const one = await openTestWorkbench({ model: createScriptedModel(() => 'Hello.'), at: small.path })
      atEnd(() => one.workbench.store.close())
      const root = await one.root()
      await one.prompt(root, 'Keep this')
      // What a kill leaves: the log beside the database, not yet part of it.
      const killed = mount()
      for (const name of ['espalier.db', 'espalier.db-wal']) {
        const from = join(one.dataFolder, name)
        expect(existsSync(from)).toBe(true)
        writeFileSync(join(killed.path, name), readFileSync(from))
      }
      killed.setReadOnly(true)

      const shell = await startShell(killed.path)
      expect(shell.isReady).toBe(true)
      await shell.stop()
    })

    it('where nothing is yet ends in one sentence that says what to do', async () => {
      const small = mount()
      small.setReadOnly(true)
      const shell = await startShell(join(small.path, 'data'))
      const { exitCode, out, err } = await shell.ended
      expect(exitCode).toBe(1)
      expect(out).toBe('')
      expect(err).toMatch(
        /^Espalier did not start: The data folder cannot be written to\. Make .* writable, .*\n$/,
      )
      expect(err).not.toMatch(STACK)
    })
  },
)

describe.skipIf(process.getuid?.() === 0)('starting in a folder without the right to write', () => {
  it('shows what is there and refuses every change in words', async () => {
    const at = folder()
    const { root, dataFolder } = await withSession(at)
    chmodSync(dataFolder, 0o500)
    atEnd(() => chmodSync(dataFolder, 0o700))
    await expectViewOnly(at, root, /^The data folder can only be read/)
  })
})

describe.skipIf(noSmallDisk !== null)(`starting on a disk that is full (${noSmallDisk ?? 'tmpfs'})`, () => {
  it('shows what is there, says why nothing can be changed, and loses nothing', async () => {
    const small = mount()
    const { root, dataFolder } = await withSession(join(small.path, 'bench'))
    small.fillUp()

    const one = await openTestWorkbench({
      model: createScriptedModel(() => 'Never.'),
      at: join(small.path, 'bench'),
    })
    const window = watchBanner(one)
    expect(one.workbench.store.viewing).toBe('full')
    expect(JSON.stringify(await one.workbench.store.persistence.page(root, { limit: 50 }))).toContain(
      'Keep this',
    )
    await expect(one.send(root, 'More')).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
    await window.close()
    await one.workbench.close()

    const shell = await startShell(dataFolder)
    expect(shell.isReady).toBe(true)
    const { exitCode, err } = await shell.stop()
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' })

    small.free()
    const again = await openTestWorkbench({
      model: createScriptedModel(() => 'Back.'),
      at: join(small.path, 'bench'),
    })
    atEnd(again.dispose)
    await again.prompt(root, 'Go on')
    expect(await again.outcome(root)).toMatchObject({ kind: 'completed' })
  })

  it('where nothing is yet ends in one sentence that says what to do', async () => {
    const small = mount()
    small.fillUp()
    const shell = await startShell(join(small.path, 'data'))
    const { exitCode, out, err } = await (shell.isReady ? shell.stop() : shell.ended)
    expect(exitCode).toBe(1)
    expect(out).toBe('')
    expect(err).toMatch(
      /^Espalier did not start: The disk is full\. Nothing was changed\. Free some space .*\n$/,
    )
    expect(err).not.toMatch(STACK)
  })
})

describe('starting with a session database that another program has locked', () => {
  it('ends in one sentence when it keeps the lock, and leaves everything as it is', async () => {
    const at = folder()
    const { dataFolder } = await withSession(at)
    const before = hashOf(join(dataFolder, 'espalier.db'))
    const holder = await lockFromOutside(join(dataFolder, 'espalier.db'), 'everything')
    atEnd(holder.end)

    const shell = await startShell(dataFolder)
    const { exitCode, out, err } = await shell.ended
    expect(exitCode).toBe(1)
    expect(out).toBe('')
    expect(err).toMatch(
      /^Espalier did not start: Another program has locked the session database\. Close .*\n$/,
    )
    expect(err).not.toMatch(STACK)
    await holder.end()
    expect(hashOf(join(dataFolder, 'espalier.db'))).toBe(before)
  })

  it('waits for one that holds it for a moment', async () => {
    const at = folder()
    const { dataFolder } = await withSession(at)
    const holder = await lockFromOutside(join(dataFolder, 'espalier.db'), 'everything')
    atEnd(holder.end)
    setTimeout(() => void holder.end(), 1500)
    const shell = await startShell(dataFolder)
    expect(shell.isReady).toBe(true)
    expect((await shell.stop()).exitCode).toBe(0)
  })

  it('that only keeps others from writing: starts, warns at the first write, and goes on by itself', async () => {
    const at = folder()
    const { root, dataFolder } = await withSession(at)
    const holder = await lockFromOutside(join(dataFolder, 'espalier.db'))
    atEnd(holder.end)

    const one = await openTestWorkbench({ model: createScriptedModel(() => 'Hello.'), at })
    atEnd(one.dispose)
    const window = watchBanner(one)
    atEnd(window.close)
    await expect(one.send(root, 'Go')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await holder.end()
    await one.prompt(root, 'Go')
    await within(1000, async () => (await one.outcome(root))?.kind === 'completed')
  })
})

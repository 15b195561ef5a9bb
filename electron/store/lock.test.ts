import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hostFile, lockFile } from './data-folder.ts'
import { type Host, readHost, removeHost, writeHost } from './host-file.ts'
import { takeLock } from './lock.ts'

const HOST: Host = {
  pid: 4711,
  kind: 'browser',
  address: 'http://127.0.0.1:9999/',
  socket: '/run/espalier.sock',
}

let folder: string
const children: ChildProcess[] = []
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'espalier-lock-')), 'data')
})
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child)
  rmSync(join(folder, '..'), { recursive: true })
})

/** A second, real process that tries to take the lock, says what came of it, and stays. */
async function rival(): Promise<{ child: ChildProcess; says: unknown }> {
  const script = `
    const { takeLock } = await import(${JSON.stringify(new URL('./lock.ts', import.meta.url).href)})
    const { kind, host } = takeLock(${JSON.stringify(folder)})
    console.log(JSON.stringify({ kind, host }))
    setInterval(() => globalThis.gc?.(), 20)`
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const [line] = await once(child.stdout!, 'data')
  return { child, says: JSON.parse(String(line)) }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

test('a second process is refused at once and told whom to turn to', async () => {
  const result = takeLock(folder)
  expect(result.kind).toBe('taken')
  expect((await rival()).says).toEqual({ kind: 'held', host: null })
  writeHost(folder, HOST)
  expect((await rival()).says).toEqual({ kind: 'held', host: HOST })
  if (result.kind === 'taken') result.lock.release()
  expect((await rival()).says).toEqual({ kind: 'taken' })
})

test('a killed process leaves the lock free', async () => {
  const { child, says } = await rival()
  expect(says).toEqual({ kind: 'taken' })
  await new Promise(resolve => setTimeout(resolve, 100)) // long enough for its collector to run
  expect(takeLock(folder)).toEqual({ kind: 'held', host: null })
  await kill(child)
  const result = takeLock(folder)
  expect(result.kind).toBe('taken')
  if (result.kind === 'taken') result.lock.release()
})

test('taking it twice in one process is refused too, and releasing twice is harmless', () => {
  const first = takeLock(folder)
  expect(takeLock(folder).kind).toBe('held')
  if (first.kind !== 'taken') throw new Error('expected the lock')
  first.lock.release()
  first.lock.release()
  const second = takeLock(folder)
  expect(second.kind).toBe('taken')
  if (second.kind === 'taken') second.lock.release()
})

test('the folder and the lock are for their owner alone', () => {
  const result = takeLock(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(lockFile(folder)).mode & 0o777).toBe(0o600)
  if (result.kind === 'taken') result.lock.release()
})

test('a folder that cannot be made is named as the problem', () => {
  writeFileSync(folder, 'a file in its place')
  expect(() => takeLock(folder)).toThrow(expect.objectContaining({ code: 'STORE_UNAVAILABLE' }))
})

test('what a workbench says of itself is replaced in one step, and nonsense is nobody', () => {
  const result = takeLock(folder)
  expect(readHost(folder)).toBeNull()
  writeHost(folder, HOST)
  expect(readHost(folder)).toEqual(HOST)
  expect(statSync(hostFile(folder)).mode & 0o777).toBe(0o600)
  writeFileSync(hostFile(folder), '{"pid": "many"')
  expect(readHost(folder)).toBeNull()
  removeHost(folder)
  removeHost(folder)
  expect(readHost(folder)).toBeNull()
  if (result.kind === 'taken') result.lock.release()
})

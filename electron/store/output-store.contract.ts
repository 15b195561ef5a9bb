import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { finishedTurn, log, sessionHeader } from './fixtures/logs.ts'
import type { OutputStore } from './output-store.ts'
import type { SessionPersistence } from './persistence.ts'

/* What every backend must do with outputs. */

interface OpenOutputs {
  readonly persistence: SessionPersistence
  readonly outputs: OutputStore
  close(): Promise<void>
}

const S = toSessionId('s')
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const bytesOf = (text: string) => new TextEncoder().encode(text)
const random = (size: number) => new Uint8Array(randomBytes(size))
const calls = (...ids: string[]) =>
  ids.flatMap(callId => [
    ['tool/call', { turn: 1, step: 1, callId, name: 'shell', input: {} }] as const,
    ['tool/result', { turn: 1, step: 1, callId, name: 'shell', status: 'ok', content: [] }] as const,
  ])

export function outputContract(name: string, open: (dataFolder: string) => Promise<OpenOutputs>): void {
  describe(`${name}: the contract of outputs`, () => {
    let folder: string
    let store: OpenOutputs
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'espalier-outputs-'))
      store = await open(folder)
      await store.persistence.create(sessionHeader('s'), log([...finishedTurn, ...calls('a', 'b')]))
    })
    afterEach(async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    })

    const text = async (session: string, id: string, from = 0, length = 1000) => {
      const slice = await store.outputs.read(toSessionId(session), id, { from, length })
      return slice === null ? null : { text: new TextDecoder().decode(slice.bytes), size: slice.size }
    }
    const append = (id: string, from: number, bytes: Uint8Array<ArrayBuffer>, session = 's') =>
      store.outputs.append(toSessionId(session), id, from, bytes)

    test('every byte comes back, from anywhere, across parts and after a restart', async () => {
      const whole = random(700_001)
      const parts = [0, 1, 100_000, 362_144, 362_145, 700_001]
      for (const [index, end] of parts.entries()) {
        const start = parts[index - 1] ?? 0
        await append('a', start, whole.slice(start, end))
      }
      await store.close()
      store = await open(folder)

      for (const [from, length] of [
        [0, 700_001],
        [0, 1],
        [99_999, 2],
        [1, 362_143],
        [362_140, 100],
        [699_999, 50],
        [700_001, 10],
        [900_000, 10],
      ] as const) {
        const slice = await store.outputs.read(S, 'a', { from, length })

        expect(slice?.size).toBe(700_001)
        expect(sha256(slice?.bytes ?? random(1))).toBe(sha256(whole.subarray(from, from + length)))
      }
    })

    test('ids are any text, and two outputs of two sessions are apart', async () => {
      await store.persistence.create(sessionHeader('t'), log(finishedTurn))
      const odd = '../x/ü "\u0001 木'
      await append(odd, 0, bytesOf('odd'))
      await append('a', 0, bytesOf('of s'))
      await append('a', 0, bytesOf('of t'), 't')

      expect(await text('s', odd)).toEqual({ text: 'odd', size: 3 })
      expect(await text('s', 'a')).toEqual({ text: 'of s', size: 4 })
      expect(await text('t', 'a')).toEqual({ text: 'of t', size: 4 })
      expect(await text('t', odd)).toBeNull()
      expect(await store.outputs.list(S)).toEqual([
        { id: odd, size: 3 },
        { id: 'a', size: 4 },
      ])
    })

    test('a write that does not begin at the end stores nothing', async () => {
      await append('a', 0, bytesOf('12345'))

      await expect(append('a', 0, bytesOf('again'))).rejects.toMatchObject({ code: 'SEQ_CONFLICT' })
      await expect(append('a', 6, bytesOf('gap'))).rejects.toMatchObject({ code: 'SEQ_CONFLICT' })
      await expect(append('b', 1, bytesOf('gap'))).rejects.toMatchObject({ code: 'SEQ_CONFLICT' })
      expect(await text('s', 'a')).toEqual({ text: '12345', size: 5 })
      expect(await text('s', 'b')).toBeNull()
      expect(await store.outputs.list(S)).toEqual([{ id: 'a', size: 5 }])
    })

    test('writes that were asked for in order are stored in order, without waiting for each other', async () => {
      const bytes = [...Array(50).keys()].map(n => bytesOf(String(n % 10)))

      await Promise.all(bytes.map((one, index) => append('a', index, one)))

      expect(await text('s', 'a')).toEqual({ text: '0123456789'.repeat(5), size: 50 })
    })

    test('a part of a bigger buffer leaves the rest of it alone', async () => {
      const buffer = bytesOf('0123456789')

      await append('a', 0, buffer.subarray(2, 5))

      expect(new TextDecoder().decode(buffer)).toBe('0123456789')
      expect(await text('s', 'a')).toEqual({ text: '234', size: 3 })
    })

    test('an unknown session has none, a trashed one takes bytes and shows them when it is back', async () => {
      const unknown = toSessionId('unknown')
      await expect(append('a', 0, bytesOf('x'), 'unknown')).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
      })
      await expect(store.outputs.read(unknown, 'a', { from: 0, length: 1 })).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
      })
      await append('a', 0, bytesOf('be'))
      await store.persistence.trash(S)

      await expect(text('s', 'a')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
      await append('a', 2, bytesOf('fore'))
      await store.persistence.restore(S)
      expect(await text('s', 'a')).toEqual({ text: 'before', size: 6 })
    })

    test('an aborted read rejects with its reason', async () => {
      await append('a', 0, bytesOf('x'))

      const reading = store.outputs.read(S, 'a', { from: 0, length: 1 }, AbortSignal.abort('enough'))

      await expect(reading).rejects.toBe('enough')
    })

    test('a fork has the outputs of the calls it inherited, and no others', async () => {
      await append('a', 0, bytesOf('first'))
      await append('b', 0, bytesOf('second'))
      const seed = log([...finishedTurn, ...calls('a')])
      const facts = { parentSession: S, seedLength: seed.length }
      const own = log([['session/end-seed', { source: 's' }], ...calls('b')], seed.length)

      await store.persistence.create(sessionHeader('fork', facts), [...seed, ...own])
      await store.persistence.create(sessionHeader('child', { parentSession: S }), log(calls('a')))

      expect(await store.outputs.list(toSessionId('fork'))).toEqual([{ id: 'a', size: 5 }])
      expect(await text('fork', 'a')).toEqual({ text: 'first', size: 5 })
      expect(await store.outputs.list(toSessionId('child'))).toEqual([])
    })

    test('a fork of a fork inherits on, and an inherited output does not change', async () => {
      await append('a', 0, bytesOf('first'))
      const seed = log([...finishedTurn, ...calls('a')])
      const create = (id: string, parent: string) =>
        store.persistence.create(
          sessionHeader(id, { parentSession: toSessionId(parent), seedLength: seed.length }),
          seed,
        )
      await create('fork', 's')
      await create('again', 'fork')

      await expect(append('a', 5, bytesOf('!'), 'again')).rejects.toMatchObject({ code: 'BAD_REQUEST' })
      await expect(append('a', 5, bytesOf('!'), 's')).rejects.toMatchObject({ code: 'BAD_REQUEST' })
      expect(await text('again', 'a')).toEqual({ text: 'first', size: 5 })
    })

    test('a creation that is refused leaves no reference behind', async () => {
      await append('a', 0, bytesOf('first'))
      const seed = log([...finishedTurn, ...calls('a')])
      const header = sessionHeader('s', { parentSession: S, seedLength: seed.length })

      await expect(store.persistence.create(header, seed)).rejects.toMatchObject({ code: 'SESSION_EXISTS' })
      await append('a', 5, bytesOf(' still mine'))

      expect(await text('s', 'a')).toEqual({ text: 'first still mine', size: 16 })
    })
  })
}

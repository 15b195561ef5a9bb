import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createToolOutput, type KeepBytes, type ToolOutputOptions } from './tool-output.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** A store in memory that takes only what continues it. */
function memoryStore() {
  const parts: Uint8Array[] = []
  const size = () => parts.reduce((sum, part) => sum + part.length, 0)
  const keep: KeepBytes = async (from, bytes) => {
    if (from !== size()) throw new Error(`goes on at ${size()}, not at ${from}`)
    parts.push(bytes)
  }
  return { parts, keep, bytes: () => Buffer.concat(parts) }
}

async function written(chunks: readonly Uint8Array[], options: Partial<ToolOutputOptions> = {}) {
  const store = memoryStore()
  const output = createToolOutput({ id: 'call-1', keep: store.keep, ...options })
  for (const chunk of chunks) await output.write(chunk)
  return { ...(await output.finish()), store }
}

describe('the output of a tool', () => {
  it('keeps nothing beside the log of what the result says whole', async () => {
    const { text, bytes, lines, ref, store } = await written([encode('one\ntwo\n'), encode('three 木')])

    expect({ text, bytes, lines, ref }).toEqual({
      text: 'one\ntwo\nthree 木',
      bytes: 17,
      lines: 3,
      ref: null,
    })
    expect(store.parts).toEqual([])
  })

  it('keeps every byte of a long one, and gives the model its ends', async () => {
    const line = encode(`${'木'.repeat(333)}\n`)
    const chunks = [...Array(400)].map(() => line)

    const { text, ref, store } = await written(chunks)

    expect(ref).toEqual({ id: 'call-1', bytes: 400_000, lines: 400 })
    expect(sha256(store.bytes())).toBe(sha256(Buffer.concat(chunks)))
    expect(store.parts.every(part => part.length <= 262_144)).toBe(true)
    expect(text).toMatch(/^木+\n.*\n\[… 85,600 characters cut …\]\n/s)
    expect(text.length).toBeLessThan(48_100)
  })

  it('keeps binary output exactly and says that it is binary', async () => {
    const noise = randomBytes(500_000)

    const { text, ref, store } = await written([noise.subarray(0, 1), noise.subarray(1)])

    expect(text).toBe('[Binary output of 500.0 kB, not shown.]')
    expect(ref).toEqual({ id: 'call-1', bytes: 500_000, binary: true })
    expect(sha256(store.bytes())).toBe(sha256(noise))
  })

  it('shows invalid UTF-8 with marks and keeps the bytes as they came', async () => {
    const latin = Buffer.from('caf\xe9 au lait\n', 'latin1')

    const { text, ref, store } = await written([latin])

    expect(text).toBe('caf\ufffd au lait\n')
    expect(ref).toEqual({ id: 'call-1', bytes: 13, lines: 1 })
    expect(sha256(store.bytes())).toBe(sha256(latin))
  })

  it('is the same text and the same bytes however the chunks are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.array(fc.nat(400)),
        async (text, cuts) => {
          const bytes = encode(`${text.replaceAll('\0', '')}🌳`.toWellFormed())
          const borders = [0, ...cuts.map(cut => cut % (bytes.length + 1)), bytes.length].toSorted(
            (a, b) => a - b,
          )
          const chunks = borders.slice(1).map((end, index) => bytes.subarray(borders[index], end))

          const whole = await written(chunks, { partBytes: 7, waitMs: 0 })

          expect(whole.text).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
          expect(whole.bytes).toBe(bytes.length)
          if (whole.store.parts.length > 0) expect(sha256(whole.store.bytes())).toBe(sha256(bytes))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('stores what a slow program said before it ends', async () => {
    const store = memoryStore()
    const output = createToolOutput({ id: 'c', keep: store.keep, waitMs: 20 })

    await output.write(encode('working'))
    await sleep(100)

    expect(store.bytes().toString()).toBe('working')
    expect((await output.finish()).ref).toBeNull()
  })

  it('holds its writer up while parts are being stored', async () => {
    let stored = 0
    let most = 0
    let sent = 0
    const keep: KeepBytes = async (_from, bytes) => {
      await sleep(2)
      stored += bytes.length
    }
    const output = createToolOutput({ id: 'c', keep, partBytes: 1000 })
    for (let chunk = 0; chunk < 300; chunk += 1) {
      await output.write(new Uint8Array(500).fill(65))
      sent += 500
      most = Math.max(most, sent - stored)
    }

    expect((await output.finish()).ref).toEqual({ id: 'c', bytes: 150_000, lines: 1 })
    expect(most).toBeLessThanOrEqual(6000)
  })

  it('says what it did not keep beyond its bound', async () => {
    const chunks = [...Array(100)].map(() => encode(`${'x'.repeat(999)}\n`))

    const { text, ref, bytes, store } = await written(chunks, { maxBytes: 30_500, partBytes: 4096 })

    expect(ref).toEqual({ id: 'call-1', bytes: 30_500, lines: 100, complete: false })
    expect(bytes).toBe(100_000)
    expect(store.bytes().length).toBe(30_500)
    expect(text).toMatch(/\n\[Output beyond 30\.5 kB was not kept\.\]$/)
  })

  it('names a bound of whole mebibytes as one', async () => {
    const { text, ref } = await written(
      [...Array(20)].map(() => new Uint8Array(60_000)),
      { maxBytes: 2 ** 20 },
    )

    expect(text).toBe('[Binary output of 1.2 MB, not shown.]\n[Output beyond 1 MiB was not kept.]')
    expect(ref).toEqual({ id: 'call-1', bytes: 1_048_576, binary: true, complete: false })
  })

  it('goes on when the disk is full, and says what was kept', async () => {
    const store = memoryStore()
    const keep: KeepBytes = async (from, bytes) => {
      if (from >= 8192) throw new Error('The disk is full: the session database cannot grow.')
      await store.keep(from, bytes)
    }

    const { text, ref, bytes } = await written(
      [...Array(100)].map(() => encode('y'.repeat(1000))),
      {
        keep,
        partBytes: 4096,
      },
    )

    expect(ref).toEqual({ id: 'call-1', bytes: 8192, lines: 1, complete: false })
    expect(bytes).toBe(100_000)
    expect(text).toMatch(
      /\n\[Only the first 8\.2 kB of the output could be kept: The disk is full: the session database cannot grow\.\]$/,
    )
  })

  it('tries a part again before it gives up', async () => {
    const store = memoryStore()
    let failures = 2
    const keep: KeepBytes = async (from, bytes) => {
      failures -= 1
      if (failures >= 0) {
        structuredClone(bytes, { transfer: [bytes.buffer] }) // as a store that had taken it before it failed
        throw new Error('busy')
      }
      await store.keep(from, bytes)
    }

    const { ref } = await written([Uint8Array.of(0, 1, 2)], { keep })

    expect(ref).toEqual({ id: 'call-1', bytes: 3, binary: true })
    expect([...store.bytes()]).toEqual([0, 1, 2])
  })

  it('does not wait for ever for a store that hangs', async () => {
    const { text, ref } = await written([Uint8Array.of(0)], {
      keep: () => new Promise(() => {}),
      patienceMs: 30,
    })

    expect(ref).toEqual({ id: 'call-1', bytes: 0, binary: true, complete: false })
    expect(text).toContain('could be kept: the session store does not answer.')
  })
})

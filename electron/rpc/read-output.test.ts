import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { readOutput } from './read-output.ts'

const S = toSessionId('s')

function outputsOf(bytes: Uint8Array) {
  return {
    read: async (_session: unknown, id: string, { from, length }: { from: number; length: number }) =>
      id === 'known'
        ? { bytes: new Uint8Array(bytes.subarray(from, from + length)), size: bytes.length }
        : null,
  }
}

async function readAll(bytes: Uint8Array, length: number): Promise<string> {
  let text = ''
  for (let from = 0; ; ) {
    const range = { sessionId: S, id: 'known', from, length, as: 'text' } as const
    const { part, to, size } = await readOutput(outputsOf(bytes), range)
    text += part.kind === 'text' ? part.text : ''
    if (to >= size) return text
    expect(to).toBeGreaterThan(from)
    from = to
  }
}

describe('reading an output in parts', () => {
  it('joins to the whole text, whatever the bytes and the length of a part', async () => {
    const pieces = fc.oneof(
      fc.string({ unit: 'binary' }).map(text => new TextEncoder().encode(text.toWellFormed())),
      fc.uint8Array({ maxLength: 20 }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(pieces), fc.integer({ min: 4, max: 40 }), async (parts, length) => {
        const bytes = new Uint8Array(Buffer.concat(parts))

        expect(await readAll(bytes, length)).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
      }),
      { numRuns: 1000 },
    )
  })

  it('begins and ends between characters wherever it is asked to', async () => {
    const bytes = new TextEncoder().encode('木'.repeat(100))
    for (let from = 0; from < 30; from += 1) {
      const { part, ...place } = await readOutput(outputsOf(bytes), {
        sessionId: S,
        id: 'known',
        from,
        length: 20,
        as: 'text',
      })

      expect(part).toEqual({ kind: 'text', text: '木'.repeat((place.to - place.from) / 3) })
      expect([place.from % 3, place.to % 3]).toEqual([0, 0])
    }
  })

  it('gives bytes as they are', async () => {
    const bytes = Uint8Array.of(0xff, 0, 0xe6)

    const range = { sessionId: S, id: 'known', from: 1, length: 9, as: 'bytes' } as const

    expect(await readOutput(outputsOf(bytes), range)).toEqual({
      from: 1,
      to: 3,
      size: 3,
      part: { kind: 'bytes', base64: Buffer.from([0, 0xe6]).toString('base64') },
    })
  })

  it('is empty beyond the end and refuses an output that the session does not have', async () => {
    const beyond = { sessionId: S, id: 'known', from: 9, length: 9, as: 'text' } as const

    expect(await readOutput(outputsOf(Uint8Array.of(65)), beyond)).toMatchObject({
      size: 1,
      part: { text: '' },
    })
    await expect(readOutput(outputsOf(Uint8Array.of(65)), { ...beyond, id: 'other' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    })
  })

  it('never stands still where bytes are lost', async () => {
    const bytes = Uint8Array.of(65, 66, 67, 68)
    const torn = {
      read: async (_s: unknown, _i: string, { from }: { from: number }) => ({
        bytes: bytes.slice(from),
        size: 100,
      }),
    }

    const reading = readOutput(torn, { sessionId: S, id: 'known', from: 4, length: 50, as: 'text' })

    await expect(reading).rejects.toMatchObject({ code: 'SESSION_DAMAGED' })
  })
})

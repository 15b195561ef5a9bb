import { describe, expect, it } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { createTexts } from './read-text.ts'

const S = toSessionId('s')
const text = '木🌳'.repeat(40_000)

function textsOf(data: unknown) {
  let reads = 0
  const texts = createTexts({
    event: async (_id, seq) => {
      reads += 1
      return { seq, time: 0, type: 'user/message', data }
    },
  })
  return { texts, reads: () => reads }
}

describe('reading a long text of an event', () => {
  it('joins its parts to the whole, and reads the event once', async () => {
    const { texts, reads } = textsOf({ content: [{ type: 'text', text }] })
    const path = ['content', 0, 'text']
    let whole = ''
    for (let from = 0; ; ) {
      const { part, to, size } = await texts.read({
        sessionId: S,
        seq: 3,
        path,
        from,
        length: 1000,
        as: 'text',
      })
      whole += part.kind === 'text' ? part.text : ''
      if (to === size) break
      from = to
    }

    expect(whole).toBe(text)
    expect(reads()).toBe(1)
  })

  it('refuses what is no text, and never looks up a prototype', async () => {
    const { texts } = textsOf({ content: [{ type: 'text', text }] })
    for (const path of [
      ['content'],
      ['content', 1, 'text'],
      ['__proto__', 'constructor', 'name'],
      ['content', 'length'],
      [],
    ]) {
      await expect(
        texts.read({ sessionId: S, seq: 3, path, from: 0, length: 10, as: 'text' }),
        path.join(),
      ).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    }
  })
})

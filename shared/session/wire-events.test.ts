import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readEvent, type StoredEvent, storedEventSchema } from './events.ts'
import { MOST_EVENT_CHARS, MOST_EVENTS_CHARS, wireEvent, wireEvents } from './wire-events.ts'

const event = (type: string, data: unknown, seq = 0): StoredEvent => ({ seq, time: 1, type, data })
const said = (text: string) =>
  event('user/message', { id: 'm', source: { kind: 'person' }, content: [{ type: 'text', text }] })
const charsOf = (value: unknown) => JSON.stringify(value).length

describe('events on their way to a window', () => {
  it('are the same where nothing is too long', () => {
    const short = said('x'.repeat(10_000))

    expect(wireEvent(short)).toBe(short)
    expect(wireEvents([short, short])[1]).toBe(short)
  })

  it('keep both ends of a long text and say where and how long it was', () => {
    const text = `first ${'木'.repeat(10_000_000)} last`
    const whole = said(text)

    const sent = wireEvent(whole)

    expect(charsOf(sent)).toBeLessThan(MOST_EVENT_CHARS)
    expect(sent.cut).toEqual([{ path: ['content', 0, 'text'], bytes: new TextEncoder().encode(text).length }])
    const shown = (sent.data as { content: [{ text: string }] }).content[0].text
    expect(shown).toMatch(/^first 木+\n\[… 9,967,24\d characters are not shown here …\]\n木+ last$/)
    expect(wireEvent(whole)).toBe(sent)
    expect((whole.data as { content: [{ text: string }] }).content[0].text).toBe(text)
  })

  it('never send half a character', () => {
    for (const pad of ['', 'x', 'xx', 'xxx']) {
      const sent = wireEvent(said(pad + '🌳'.repeat(200_000)))

      expect(JSON.stringify(sent).isWellFormed()).toBe(true)
      expect(JSON.stringify(sent)).not.toMatch(/\\ud[89a-f]/)
    }
  })

  it('still fit their schema, short facts and all', () => {
    const huge = 'y'.repeat(3_000_000)
    const at = { turn: 1, step: 2, callId: 'c', name: 'shell' }
    const events = [
      said(huge),
      event('tool/call', { ...at, input: { command: huge, list: Array(500_000).fill('z') } }),
      event('tool/result', {
        ...at,
        status: 'ok',
        content: [{ type: 'text', text: huge }],
        diff: huge,
        files: Array.from({ length: 100_000 }, (_, index) => `src/file-${index}.ts`),
        summary: '30.0 MB',
        output: { id: 'c', bytes: 3, lines: 1 },
      }),
      event('assistant/message', {
        id: 'm',
        turn: 1,
        step: 1,
        content: Array(50_000).fill({ type: 'text', text: 'many blocks' }),
        usage: null,
        model: { provider: 'p', model: 'm' },
      }),
      event('import/raw', { lineType: 'x', line: 1, value: { deep: { deeper: { deepest: huge } } } }),
      event('turn/end', { turn: 1, reason: { kind: 'error', code: 'X', message: huge, retryable: false } }),
    ]
    for (const one of events) {
      const sent = wireEvent(one)

      expect(readEvent(sent), one.type).not.toBeNull()
      expect(storedEventSchema.parse(sent)).toEqual(sent)
      expect(charsOf(sent)).toBeLessThan(MOST_EVENT_CHARS * 1.2)
      expect(sent.cut?.length).toBeGreaterThanOrEqual(one.type === 'assistant/message' ? 0 : 1)
    }
    expect(wireEvent(events[2] ?? said('')).data).toMatchObject({
      summary: '30.0 MB',
      output: { id: 'c', bytes: 3, lines: 1 },
    })
  })

  it('leave out a picture that is too large as a whole', () => {
    const data = 'A'.repeat(1_000_000)
    const content = [
      { type: 'text', text: 'see' },
      { type: 'image', mediaType: 'image/png', data },
    ]
    const sent = wireEvent(event('user/message', { id: 'm', source: { kind: 'person' }, content }))

    expect(sent.data).toMatchObject({ content: [{ text: 'see' }, { mediaType: 'image/png', data: '' }] })
    expect(sent.cut).toEqual([{ path: ['content', 1, 'data'], bytes: 1_000_000 }])
  })

  it('are bounded together as well', () => {
    const sent = wireEvents(Array.from({ length: 1000 }, (_, seq) => ({ ...said('q'.repeat(60_000)), seq })))

    expect(charsOf(sent)).toBeLessThan(MOST_EVENTS_CHARS * 1.2)
    expect(sent.map(({ seq }) => seq)).toEqual(Array.from({ length: 1000 }, (_, seq) => seq))
  })

  it('keep the true length of a text that is shortened twice', () => {
    const once = wireEvents([said('q'.repeat(900_000))])

    const twice = wireEvents(Array.from({ length: 500 }, () => once[0] ?? said('')))

    expect(twice[0]?.cut).toEqual([{ path: ['content', 0, 'text'], bytes: 900_000 }])
    expect(charsOf(twice)).toBeLessThan(MOST_EVENTS_CHARS * 1.2)
  })

  it('are bounded whatever a log holds', () => {
    const limit = 3000
    const wide = fc.letrec(tie => ({
      value: fc.oneof(
        { depthSize: 'large', maxDepth: 6 },
        fc.string({ unit: 'binary', maxLength: 400 }),
        fc.constant('long '.repeat(2000)),
        fc.integer(),
        fc.array(tie('value'), { maxLength: 40 }),
        fc.dictionary(fc.string({ maxLength: 300 }), tie('value'), { maxKeys: 40 }),
      ),
    })).value
    fc.assert(
      fc.property(wide, data => {
        const sent = wireEvent(event('x', data), limit)
        const chars = (function count(value: unknown): number {
          if (typeof value === 'string') return value.length
          if (typeof value !== 'object' || value === null) return 1
          return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + count(item), 0)
        })(sent.data)

        expect(chars).toBeLessThan(limit + 33 * 33 * 512)
        if (sent.cut === undefined) expect(sent.data).toBe(data)
      }),
    )
  })

  it('may nest as deeply as they like', () => {
    let deep: unknown = 'x'.repeat(200_000)
    for (let level = 0; level < 5000; level += 1) deep = [deep]

    expect(charsOf(wireEvent(event('x', deep)))).toBeLessThan(5000)
  })
})

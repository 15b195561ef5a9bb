import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NewEvent, StoredEvent } from '#shared/session/events.ts'
import { headerOf, titled } from './fixtures/live-store.ts'
import { Session } from './session.ts'

/*
 * One live log. Numbers are those of the study's §8.14. On purpose different: a listener may append (5); what it
 * adds is announced after what it heard. Nobody vetoes a session or an event (5).
 */

function sessionOf(events: readonly StoredEvent[] = [], onAppend: (event: StoredEvent) => void = () => {}) {
  let clock = 0
  return new Session(headerOf('s'), events, {
    now: () => ++clock,
    onAppend: (_, event) => onAppend(event),
  })
}

const logOf = (count: number): StoredEvent[] =>
  Array.from({ length: count }, (_, seq) => ({ seq, time: seq, type: 'x', data: null }))

describe('a session', () => {
  it('gives each event the next seq and the time, and hands it back', () => {
    const session = sessionOf(logOf(3))
    expect(session.append(titled('A'))).toEqual({
      seq: 3,
      time: 1,
      type: 'session/title',
      data: { title: 'A', source: 'person' },
    })
    expect(session.append(titled('B'))).toMatchObject({ seq: 4 })
    expect(session.nextSeq).toBe(5)
  })

  it('announces an event before append returns, in order', () => {
    const heard: number[] = []
    const session = sessionOf([], event => heard.push(event.seq))
    session.append(titled('A'))
    expect(heard).toEqual([0])
    session.append(titled('B'))
    expect(heard).toEqual([0, 1])
  })

  it('announces what a listener appends after what it heard, whatever the depth (8.14.5)', () => {
    const heard: number[] = []
    const session: Session = sessionOf([], event => {
      if (event.seq === 0) {
        session.append(titled('reply'))
        session.append(titled('another'))
      }
      if (event.seq === 1) session.append(titled('reply to the reply'))
      heard.push(event.seq)
    })

    session.append(titled('first'))

    expect(heard).toEqual([0, 1, 2, 3])
    expect(session.tail.map(({ seq }) => seq)).toEqual([0, 1, 2, 3])
  })

  it('shows a listener the whole log so far, dense, in any order of replies', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 2 }), { maxLength: 20 }), replies => {
        const heard: number[] = []
        let next = 0
        const session: Session = sessionOf([], event => {
          for (let count = replies[next++] ?? 0; count > 0; count -= 1) session.append(titled('reply'))
          heard.push(event.seq)
        })
        session.append(titled('a'))
        session.append(titled('b'))
        expect(heard).toEqual(Array.from({ length: session.nextSeq }, (_, seq) => seq))
      }),
    )
  })

  it('keeps its log from those who read it: events, header and data are frozen through (8.14.2)', () => {
    const data = { title: 'A', source: 'person' as const }
    const session = sessionOf([{ seq: 0, time: 0, type: 'x', data: { deep: [1] } }])
    const event = session.append({ type: 'session/title', data })

    expect(() => Object.assign(event, { seq: 9 })).toThrow(TypeError)
    expect(() => Object.assign(data, { title: 'B' })).toThrow(TypeError)
    const [inherited] = session.tail
    expect(() => (inherited as { data: { deep: number[] } }).data.deep.push(2)).toThrow(TypeError)
    expect(() => Object.assign(session.header, { cwd: '/' })).toThrow(TypeError)
  })

  it('replaces lone surrogates before anyone sees them', () => {
    expect(sessionOf().append(titled('half \ud83e')).data).toMatchObject({ title: 'half \ufffd' })
  })

  it.each([
    ['undefined', { title: undefined }],
    ['a number that is none', { title: Number.NaN }],
    ['minus zero', { title: -0 }],
    ['a date', { title: new Date(0) }],
    ['nothing at all', undefined],
    ['endless nesting', JSON.parse('['.repeat(3000) + ']'.repeat(3000))],
  ])('refuses what no log can hold, and adds nothing: %s (8.14.1)', (_, data) => {
    const heard: unknown[] = []
    const session = sessionOf([], event => heard.push(event))

    const append = () => session.append({ type: 'session/title', data } as NewEvent)

    expect(append).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }))
    expect(session.nextSeq).toBe(0)
    expect(session.append(titled('next'))).toMatchObject({ seq: 0 })
    expect(heard).toHaveLength(1)
  })

  it('takes nothing once it is closed', () => {
    const session = sessionOf()
    session.close()
    expect(session.isClosed).toBe(true)
    expect(() => session.append(titled('late'))).toThrow('session s is disposed')
  })
})

describe('the tail in memory', () => {
  it('begins with the last 500 events of a long log', () => {
    const { tail, nextSeq, savedSeq } = sessionOf(logOf(2000))
    expect([tail[0]?.seq, tail.length, nextSeq, savedSeq]).toEqual([1500, 500, 2000, 2000])
  })

  it('keeps every event that is not saved, however many', () => {
    const session = sessionOf()
    for (let count = 0; count < 3000; count += 1) session.append(titled('x'))
    expect(session.tail).toHaveLength(3000)
    expect(session.savedSeq).toBe(0)
  })

  it('lets go of saved events, keeps 500 at least, and stays one run without holes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat({ max: 700 }), fc.nat({ max: 4000 })), { maxLength: 8 }),
        steps => {
          const session = sessionOf()
          for (const [appends, saved] of steps) {
            for (let count = 0; count < appends; count += 1) session.append(titled('x'))
            session.saved(Math.min(saved, session.nextSeq))

            const first = session.tail[0]?.seq ?? session.nextSeq
            expect(session.tail.map(({ seq }) => seq)).toEqual(
              Array.from({ length: session.nextSeq - first }, (_, index) => first + index),
            )
            expect(first).toBeLessThanOrEqual(session.savedSeq)
            expect(session.tail.length).toBeGreaterThanOrEqual(Math.min(500, session.nextSeq))
          }
        },
      ),
      { numRuns: 30 },
    )
  })

  it('is bounded at a thousand when everything is saved as it comes', () => {
    const session = sessionOf()
    for (let count = 0; count < 5000; count += 1) {
      session.append(titled('x'))
      session.saved(session.nextSeq)
      expect(session.tail.length).toBeLessThanOrEqual(1000)
    }
  })

  it('handed out earlier is not changed by the saving', () => {
    const session = sessionOf()
    for (let count = 0; count < 2000; count += 1) session.append(titled('x'))
    const held = session.tail
    session.saved(2000)
    expect(held[0]?.seq).toBe(0)
  })
})

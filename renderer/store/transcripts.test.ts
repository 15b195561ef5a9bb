import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HistoryPage } from '#shared/contract/session-shapes.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import { toSessionId } from '#shared/session/ids.ts'
import {
  appendEvents,
  applyToTranscript,
  EMPTY_TRANSCRIPT,
  resubscribed,
  type Transcript,
  trimmed,
  withPageAbove,
  withTailPage,
} from './transcripts.ts'

/* One open log in a window. The study's §8.15, RT: stitching of pages and frames, repair of gaps. */

const sessionId = toSessionId('s')
const event = (seq: number): StoredEvent => ({ seq, time: seq, type: 'turn/start', data: { turn: seq } })
const range = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => event(from + index))
const page = (from: number, to: number): HistoryPage => ({
  events: range(from, to),
  nextBefore: from === 0 ? null : from,
  endSeq: to,
  seedLength: 0,
  live: true,
  snapshot: null,
  damage: [],
})
const seqs = (transcript: Transcript) => transcript.events.map(({ seq }) => seq)
const ready = (from: number, to: number) => withTailPage(EMPTY_TRANSCRIPT, page(from, to))

describe('a transcript', () => {
  it('takes events in order, once', () => {
    const held = appendEvents(ready(5, 8), [event(7), event(8), event(8), event(9)])
    expect(seqs(held)).toEqual([5, 6, 7, 8, 9])
    expect(held).toMatchObject({ firstSeq: 5, endSeq: 10, nextBefore: 5, behind: null })
  })

  it('does not take an event behind a hole, but asks for the tail', () => {
    const held = appendEvents(ready(0, 3), [event(3), event(6)])
    expect(seqs(held)).toEqual([0, 1, 2, 3])
    expect(held.behind).toBe(4)
  })

  it('takes what came behind a hole as soon as the tail fills it, without asking again', () => {
    const waiting = appendEvents(appendEvents(ready(0, 3), [event(5)]), [event(6)])
    expect(seqs(waiting)).toEqual([0, 1, 2])
    const filled = withTailPage(waiting, page(0, 6))
    expect(seqs(filled)).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(filled.behind).toBeNull()
  })

  it('asks for the tail when the host left events out, also where that was said before the first page came', () => {
    const left = { kind: 'behind', sessionId, fromSeq: 3, endSeq: 9 } as const
    expect(applyToTranscript(ready(0, 3), left).behind).toBe(3)
    expect(applyToTranscript(ready(0, 9), left).behind).toBeNull()

    const early = applyToTranscript(EMPTY_TRANSCRIPT, left)
    expect(early.behind).toBeNull()
    expect(withTailPage(early, page(0, 5)).behind).toBe(5)
    expect(withTailPage(early, page(0, 9)).behind).toBeNull()
  })

  it('stays behind when the page that was read is older than what was said meanwhile', () => {
    const asked = applyToTranscript(ready(0, 3), { kind: 'behind', sessionId, fromSeq: 3, endSeq: 9 })
    expect(withTailPage(asked, page(0, 6)).behind).toBe(6)
  })

  it('keeps a bounded number of events that came early', () => {
    const flooded = appendEvents(EMPTY_TRANSCRIPT, range(0, 5000))
    expect(flooded.early).toHaveLength(1000)
    expect(withTailPage(flooded, page(3900, 4100))).toMatchObject({ endSeq: 5000, behind: null })
  })

  it('forgets with a subscription what only that one said', () => {
    const text = { kind: 'text', sessionId, messageId: 'm', part: 'text', offset: 0, text: 'x' } as const
    const told = applyToTranscript(applyToTranscript(ready(0, 3), text), {
      kind: 'behind',
      sessionId,
      fromSeq: 3,
      endSeq: 900,
    })
    expect(resubscribed(told)).toMatchObject({ behind: null, told: 0, endSeq: 3 })
    expect(resubscribed(told).pieces.size).toBe(0)
  })

  it('keeps what came while the first page was read', () => {
    const waiting = appendEvents(EMPTY_TRANSCRIPT, [event(2), event(3)])
    expect(waiting.status.kind).toBe('loading')
    expect(seqs(withTailPage(waiting, page(0, 3)))).toEqual([0, 1, 2, 3])
  })

  it('joins a tail that touches what is held, and keeps the pages above', () => {
    const held = withPageAbove(ready(10, 20), page(5, 10), 10)
    const caughtUp = withTailPage({ ...held, behind: 20 }, page(18, 30))
    expect(seqs(caughtUp)).toEqual(range(5, 30).map(({ seq }) => seq))
    expect(caughtUp).toMatchObject({ firstSeq: 5, nextBefore: 5, endSeq: 30, behind: null })
  })

  it('starts anew from a tail that does not touch it', () => {
    const caughtUp = withTailPage(ready(0, 10), page(200, 210))
    expect(seqs(caughtUp)[0]).toBe(200)
    expect(caughtUp.nextBefore).toBe(200)
  })

  it('does not lose events that are newer than a page read late', () => {
    const held = appendEvents(ready(0, 5), range(5, 9))
    expect(seqs(withTailPage(held, page(0, 6)))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('puts a page above once, and not when the window was replaced meanwhile', () => {
    const held = withPageAbove(ready(10, 12), page(7, 10), 10)
    expect(seqs(held)).toEqual([7, 8, 9, 10, 11])
    expect(withPageAbove(held, page(7, 10), 10)).toBe(held)
  })

  it('lets go of the beginning and can page back to it', () => {
    const held = trimmed(ready(0, 100), 10)
    expect(held).toMatchObject({ firstSeq: 90, nextBefore: 90, endSeq: 100 })
  })

  it('holds a gapless tail after any pages and repeated or lost event frames', () => {
    const frames = fc.array(fc.record({ from: fc.nat(60), length: fc.nat(8) }), { maxLength: 30 })
    fc.assert(
      fc.property(fc.nat(30), frames, (start, sent) => {
        let held = ready(Math.max(0, start - 5), start)
        for (const { from, length } of sent) {
          held = applyToTranscript(held, { kind: 'events', sessionId, events: range(from, from + length) })
          if (held.behind !== null)
            held = withTailPage(held, page(Math.max(0, held.behind - 2), from + length))
        }
        const all = seqs(held)
        expect(all).toEqual(all.map((_, index) => held.firstSeq + index))
        if (all.length > 0) expect(held.endSeq).toBe((all.at(-1) ?? 0) + 1)
      }),
    )
  })

  it('grows the open message in place and drops it when its event is there', () => {
    const text = (offset: number, words: string) =>
      ({ kind: 'text', sessionId, messageId: 'm1', part: 'text', offset, text: words }) as const
    let held = ready(0, 1)
    for (const frame of [text(0, 'Hello'), text(5, ' world'), text(5, ' world'), text(90, 'lost')])
      held = applyToTranscript(held, frame)
    expect(held.pieces.get('m1')?.text).toBe('Hello world')

    const finished = { ...event(1), type: 'assistant/message', data: { id: 'm1' } }
    expect(appendEvents(held, [finished]).pieces.size).toBe(0)
    expect(applyToTranscript(held, { kind: 'text-end', sessionId, messageId: 'm1' }).pieces.size).toBe(0)
  })
})

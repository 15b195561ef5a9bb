import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StoredEvent } from '#shared/session/events.ts'
import { showsText } from './event-text.ts'
import { type FindProgress, findInLog } from './find-in-log.ts'

const log: StoredEvent[] = Array.from({ length: 2500 }, (_, seq) => ({
  seq,
  time: seq,
  type: 'user/message',
  data: {
    id: 'needle',
    source: { kind: 'person' },
    content: [{ type: 'text', text: seq % 1000 === 7 ? 'A Needle here' : 'hay' }],
  },
}))

function pages(before: number | undefined, limit: number) {
  const end = before ?? log.length
  const from = Math.max(0, end - limit)
  return Promise.resolve({ events: log.slice(from, end), nextBefore: from === 0 ? null : from })
}

describe('find in a conversation', () => {
  it('looks through the whole log from its end and tells after each page', async () => {
    const told: FindProgress[] = []
    await findInLog('needle', {
      page: pages,
      onProgress: found => told.push(found),
      signal: new AbortController().signal,
    })
    expect(told).toEqual([
      { seqs: [2007], done: false },
      { seqs: [2007, 1007], done: false },
      { seqs: [2007, 1007, 7], done: true },
    ])
  })

  it('tells nothing any more once it was ended', async () => {
    const ending = new AbortController()
    const told: FindProgress[] = []
    const page = async (before: number | undefined, limit: number) => {
      ending.abort()
      return await pages(before, limit)
    }
    await findInLog('needle', { page, onProgress: found => told.push(found), signal: ending.signal })
    expect(told).toEqual([])
  })

  it('finds what rows show, not ids, and never throws on what a log may hold', () => {
    const event = (data: unknown): StoredEvent => ({ seq: 0, time: 0, type: 'tool/result', data })
    expect(showsText(event({ callId: 'abc', content: [] }), 'abc')).toBe(false)
    expect(showsText(event({ content: [{ type: 'text', text: 'xABCx' }] }), 'abc')).toBe(true)
    fc.assert(
      fc.property(fc.anything(), fc.string(), (data, text) => {
        showsText(event(data), text.toLowerCase())
      }),
    )
  })
})

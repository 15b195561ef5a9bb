import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Frame, FrameBatch, Watch } from '#shared/frames.ts'
import type { NewEvent } from '#shared/session/events.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { createStreamHost, type StreamHost } from './fixtures/stream-host.ts'

/* Contracts §4, sentence by sentence: when batches go out, and what is kept for a window that does not answer. */

const ROOT = toSessionId('root')
const title = (text: string): NewEvent => ({ type: 'session/title', data: { title: text, source: 'person' } })

let host: StreamHost
beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  host = createStreamHost()
})
afterEach(() => {
  expect(host.problems).toEqual([])
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** A window that answers as long as `answers` says so, and the times of its batches. */
function look(watch: Partial<Watch> = {}, id = 'w') {
  const stop = new AbortController()
  const stream = host.streams.subscribe(id, { open: [], listed: [], ...watch }, stop.signal)
  const window = {
    answers: true,
    batches: [] as FrameBatch[],
    at: [] as number[],
    isOver: false,
    get frames() {
      return window.batches.flatMap(({ frames }) => frames)
    },
    answer: () => host.streams.acknowledge(id, window.batches.length),
    watch: (next: Partial<Watch>) => host.streams.watch(id, { open: [], listed: [], ...next }),
    stop: () => stop.abort(),
  }
  const read = async () => {
    for await (const batch of stream) {
      window.batches.push(batch)
      window.at.push(performance.now())
      if (window.answers) window.answer()
    }
    window.isOver = true
  }
  void read()
  return window
}

const of = <K extends Frame['kind']>(frames: readonly Frame[], kind: K) =>
  frames.filter((frame): frame is Extract<Frame, { kind: K }> => frame.kind === kind)

describe('batches', () => {
  it('go out at once when nothing went out lately, and then at most once per 16 ms', async () => {
    const session = await host.start(ROOT)
    const window = look()
    await pass(100)
    const before = performance.now()
    for (let ms = 0; ms < 1000; ms += 1) {
      session.append(title(`${ms}`))
      await pass(1)
    }
    await pass(20)

    const during = window.at.filter(at => at >= before)
    expect(during[0]).toBe(before)
    expect(during.length).toBeLessThanOrEqual(64)
    expect(during.length).toBeGreaterThan(50)
    expect(of(window.frames, 'projection').at(-1)).toMatchObject({ key: 'title', value: '999' })
  })

  it('wait for the answer to the one before: one is in flight, and what waits is one value per key', async () => {
    const session = await host.start(ROOT)
    const window = look()
    await pass(100)
    window.answers = false
    const sent = window.batches.length
    for (let number = 0; number < 5000; number += 1) session.append(title(`${number}`))
    await pass(5000)
    expect(window.batches).toHaveLength(sent + 1)

    for (let number = 0; number < 5000; number += 1) session.append(title(`again ${number}`))
    window.answer()
    await pass(1)

    expect(of(window.batches.at(-1)?.frames ?? [], 'projection')).toEqual([
      { kind: 'projection', sessionId: ROOT, key: 'title', value: 'again 4999', seq: 9999 },
    ])
  })

  it('count from 1 and are answered by their number alone', async () => {
    const session = await host.start(ROOT)
    const window = look()
    window.answers = false
    await pass(20)
    session.append(title('new'))
    for (const wrong of [0, 2, -1, 99]) host.streams.acknowledge('w', wrong)
    await pass(50)
    expect(window.batches.map(({ batch }) => batch)).toEqual([1])

    window.answer()
    await pass(50)
    expect(window.batches.map(({ batch }) => batch)).toEqual([1, 2])
  })

  it('tell of a bounded number of sessions each, of all of them in the end', async () => {
    for (let number = 0; number < 130; number += 1) await host.start(toSessionId(`r${number}`))
    const window = look()
    await pass(100)
    expect(window.batches.map(({ frames }) => of(frames, 'snapshot').length)).toEqual([50, 50, 30])
  })
})

describe('what a window is told', () => {
  it('is of roots, of children of listed parents and of open sessions, and of nothing else', async () => {
    const [child, grandchild] = [toSessionId('child'), toSessionId('grandchild')]
    const sessions = [await host.start(ROOT), await host.start(child, 'root')]
    sessions.push(await host.start(grandchild, 'child'))
    const windows = [
      look({}, 'a'),
      look({ listed: [ROOT] }, 'b'),
      look({ listed: [child] }, 'c'),
      look({ open: [grandchild] }, 'd'),
    ]
    await pass(20)
    for (const session of sessions) session.append(title('x'))
    await pass(20)

    const told = windows.map(({ frames }) => new Set(of(frames, 'projection').map(frame => frame.sessionId)))
    expect(told).toEqual([
      new Set([ROOT]),
      new Set([ROOT, child]),
      new Set([ROOT, grandchild]),
      new Set([ROOT, grandchild]),
    ])
    expect(windows.map(({ frames }) => of(frames, 'events').map(frame => frame.sessionId))).toEqual([
      [],
      [],
      [],
      [grandchild],
    ])
  })

  it('is no more once it stops looking, also what was waiting', async () => {
    const child = toSessionId('child')
    await host.start(ROOT)
    const session = await host.start(child, 'root')
    const window = look({ listed: [ROOT], open: [child] })
    await pass(20)
    window.answers = false
    session.append(title('sent'))
    await pass(20)
    session.append(title('waiting'))
    window.watch({})
    session.append(title('later'))
    window.answers = true
    window.answer()
    await pass(50)

    expect(of(window.frames, 'projection').map(({ value }) => value)).toEqual(['sent'])
    expect(of(window.frames, 'events').flatMap(({ events }) => events)).toHaveLength(1)
  })

  it('is no more of the log and the text of a root that was closed, but still of its values', async () => {
    const session = await host.start(ROOT)
    const window = look({ open: [ROOT] })
    await pass(20)
    window.answers = false
    session.append(title('sent'))
    await pass(20)
    session.append(title('waiting'))
    host.streams.text(ROOT, { messageId: 'm', part: 'text', offset: 0, text: 'waiting' })
    window.watch({})
    window.answer()
    await pass(20)

    const kinds = window.batches.at(-1)?.frames.map(({ kind }) => kind)
    expect(kinds).toEqual(['projection'])
  })

  it('is to read again where more was committed at once than a page holds', async () => {
    const session = await host.start(ROOT)
    const window = look({ open: [ROOT] })
    await pass(20)
    for (let number = 0; number < 500; number += 1) session.append(title(`${number}`))
    await pass(20)

    const [behind] = of(window.batches.at(-1)?.frames ?? [], 'behind')
    const [events] = of(window.batches.at(-1)?.frames ?? [], 'events')
    expect(behind?.endSeq).toBe(events?.events[0]?.seq)
    expect(events?.events.length).toBeLessThanOrEqual(200)
    expect(events?.events.at(-1)?.seq).toBe(499)
  })

  it('is a null where a value became none, and where the session went before it was told', async () => {
    const session = await host.start(ROOT)
    session.append({ type: 'turn/start', data: { turn: 1 } })
    const window = look()
    await pass(20)
    window.answers = false
    session.append(title('something to answer'))
    await pass(20)
    session.append({ type: 'turn/end', data: { turn: 1, reason: { kind: 'completed' } } })
    const going = host.live.dispose(session)
    await pass(60)
    await going
    window.answer()
    await pass(20)

    const last = of(window.batches.at(-1)?.frames ?? [], 'projection')
    expect(last.find(({ key }) => key === 'doing')).toMatchObject({ value: null, seq: 2 })
    expect(last.find(({ key }) => key === 'outcome')).toMatchObject({ value: { kind: 'completed' } })
  })

  it('says where its pages end when it opens a session, so that nothing is lost between the two', async () => {
    const session = await host.start(ROOT)
    for (let number = 0; number < 5; number += 1) session.append(title(`${number}`))
    const window = look()
    await pass(20)
    window.watch({ open: [ROOT] })
    session.append(title('after'))
    await pass(20)

    expect(of(window.frames, 'behind')).toEqual([{ kind: 'behind', sessionId: ROOT, fromSeq: 5, endSeq: 5 }])
    expect(of(window.frames, 'events').flatMap(({ events }) => events.map(({ seq }) => seq))).toEqual([5])
  })

  it('leaves out a frame that does not fit the contract and says so, without ending the stream', async () => {
    const session = await host.start(ROOT)
    const window = look({ open: [ROOT] })
    await pass(20)
    host.streams.text(ROOT, { messageId: 'm', part: 'text', offset: Number.NaN, text: 'nowhere' })
    session.append(title('seen'))
    await pass(20)

    expect(of(window.frames, 'text')).toEqual([])
    expect(of(window.frames, 'projection').at(-1)).toMatchObject({ value: 'seen' })
    expect(host.problems.splice(0)).toEqual([
      expect.objectContaining({ message: expect.stringContaining('a text frame was not sent') }),
    ])
  })
})

describe('a window that does not answer', () => {
  it('has its events collapse to "read again", told up to where', async () => {
    const session = await host.start(ROOT)
    const window = look({ open: [ROOT] })
    await pass(20)
    window.answers = false
    session.append(title('sent'))
    await pass(2000)
    for (let number = 0; number < 500; number += 1) session.append(title(`${number}`))
    window.answer()
    await pass(20)

    const frames = window.batches.at(-1)?.frames ?? []
    expect(of(frames, 'events')).toEqual([])
    expect(of(frames, 'behind')).toEqual([{ kind: 'behind', sessionId: ROOT, fromSeq: 1, endSeq: 501 }])
  })

  it('loses its stream, and nothing more is kept, when too many sessions go meanwhile', async () => {
    const session = await host.start(ROOT)
    const window = look({ listed: [ROOT] })
    await pass(20)
    window.answers = false
    session.append(title('unanswered'))
    await pass(2000)
    for (let number = 0; number < 150; number += 1) {
      const child = await host.start(toSessionId(`c${number}`), 'root')
      const going = host.live.dispose(child)
      await pass(60)
      await going
    }

    expect(window.isOver).toBe(true)
    expect(() => window.watch({})).toThrow('This subscription is over.')
    const anew = look({}, 'w')
    await pass(20)
    expect(of(anew.frames, 'snapshot')).toHaveLength(1)
  })

  it('holds up neither the others nor the writer', async () => {
    const session = await host.start(ROOT)
    const [stalled, other] = [look({ open: [ROOT] }, 'a'), look({ open: [ROOT] }, 'b')]
    await pass(20)
    stalled.answers = false
    for (let number = 0; number < 100; number += 1) {
      session.append(title(`${number}`))
      await pass(20)
    }
    expect(of(other.frames, 'events').flatMap(({ events }) => events)).toHaveLength(100)
    expect(stalled.batches.length).toBeLessThan(5)
  })
})

describe('a stream', () => {
  it('stands when it was asked for, also before anyone reads it', async () => {
    const session = await host.start(ROOT)
    const stop = new AbortController()
    const stream = host.streams.subscribe('w', { open: [ROOT], listed: [] }, stop.signal)
    session.append(title('early'))
    const { value } = await stream.next()
    expect(of(value?.frames ?? [], 'events').flatMap(({ events }) => events)).toHaveLength(1)
    stop.abort()
  })

  it('is forgotten when its connection ends, also where nobody reads it to its end', async () => {
    const stop = new AbortController()
    host.streams.subscribe('w', { open: [], listed: [] }, stop.signal)
    host.streams.acknowledge('w', 0)
    stop.abort()
    expect(() => host.streams.acknowledge('w', 0)).toThrow('This subscription is over.')
  })

  it('ends when the same window subscribes anew, which tells it everything again', async () => {
    const session = await host.start(ROOT)
    session.append(title('x'))
    const first = look()
    await pass(20)
    const second = look()
    await pass(20)
    expect(first.isOver).toBe(true)
    expect(of(second.frames, 'snapshot')).toEqual(of(first.frames, 'snapshot'))
    expect(second.batches[0]?.batch).toBe(1)
  })
})

describe('live text', () => {
  const piece = (offset: number, text: string, messageId = 'm') =>
    ({ messageId, part: 'text', offset, text }) as const

  it('is one growing piece per message and batch, for open sessions only, however many tokens come', async () => {
    await host.start(ROOT)
    const [open, other] = [look({ open: [ROOT] }, 'a'), look({}, 'b')]
    await pass(20)
    const before = open.batches.length
    const start = performance.now()
    for (let token = 0; token < 1000; token += 1) {
      host.streams.text(ROOT, piece(token * 2, 'ab'))
      await pass(1)
    }
    await pass(20)

    const texts = of(open.frames, 'text')
    expect(open.at.filter(at => at >= start && at < start + 1000).length).toBeLessThanOrEqual(63)
    expect(texts).toHaveLength(open.batches.length - before)
    expect(texts.map(({ text }) => text).join('')).toBe('ab'.repeat(1000))
    expect(of(other.frames, 'text')).toEqual([])
  })

  it('is dropped for a window that does not answer, and sent whole when it does', async () => {
    await host.start(ROOT)
    const window = look({ open: [ROOT] })
    await pass(20)
    window.answers = false
    host.streams.text(ROOT, piece(0, 'He'))
    await pass(1500)
    host.streams.text(ROOT, piece(2, 'l'))
    host.streams.text(ROOT, piece(3, 'lo'))
    host.liveText.set(ROOT, [piece(0, 'Hello')])
    window.answer()
    await pass(20)
    expect(of(window.batches.at(-1)?.frames ?? [], 'text')).toMatchObject([{ offset: 0, text: 'Hello' }])
  })

  it('says its end to those who were shown it, and keeps nothing for a window that was not', async () => {
    await host.start(ROOT)
    const window = look({ open: [ROOT] })
    await pass(20)
    host.streams.text(ROOT, piece(0, 'seen', 'first'))
    await pass(20)
    window.answers = false
    host.streams.textEnd(ROOT, 'first')
    await pass(1500)
    for (let number = 0; number < 100; number += 1) {
      host.streams.text(ROOT, piece(0, 'never seen', `m${number}`))
      host.streams.textEnd(ROOT, `m${number}`)
    }
    window.answer()
    await pass(20)
    expect(of(window.frames, 'text-end').map(({ messageId }) => messageId)).toEqual(['first'])
    expect(of(window.frames, 'text')).toHaveLength(1)
  })

  it('that ends before it was shown is not shown at all', async () => {
    await host.start(ROOT)
    const window = look({ open: [ROOT] })
    await pass(20)
    host.streams.text(ROOT, piece(0, 'too late'))
    host.streams.textEnd(ROOT, 'm')
    await pass(20)
    expect(window.frames.filter(({ kind }) => kind === 'text' || kind === 'text-end')).toEqual([])
  })

  it('comes from its start to a window that opens the session in between', async () => {
    await host.start(ROOT)
    host.liveText.set(ROOT, [piece(0, 'So far')])
    const window = look()
    await pass(20)
    window.watch({ open: [ROOT] })
    host.streams.text(ROOT, piece(6, ', so good'))
    await pass(20)
    expect(of(window.frames, 'text')).toMatchObject([{ offset: 0, text: 'So far, so good' }])
  })
})

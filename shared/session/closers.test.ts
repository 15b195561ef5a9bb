import { describe, expect, it } from 'vitest'
import { closersOf, type Draft, hasOpenTurn, isWaitingForApproval } from './closers.ts'
import type { StoredEvent } from './events.ts'

/*
 * What ends an interrupted log: the study's §1.7 and §8.14.7. On purpose different: a call stays owed after its
 * step has ended, a message that was still streaming is kept, and a log that waits for a person is not closed.
 */

type Logged = readonly [type: string, data: unknown]
const logOf = (...items: Logged[]): StoredEvent[] =>
  items.map(([type, data], seq) => ({ seq, time: seq, type, data }))

const start: Logged = ['turn/start', { turn: 3 }]
const end: Logged = ['turn/end', { turn: 3, reason: { kind: 'completed' } }]
const step: Logged = ['step/start', { turn: 3, step: 2 }]
const stepEnd: Logged = ['step/end', { turn: 3, step: 2 }]
const says = (content: unknown[], more: object = {}): Logged => [
  'assistant/message',
  { id: 'm', turn: 3, step: 2, content, usage: null, model: null, ...more },
]
const wants = (callId: string) => ({ type: 'tool-call', callId, name: 'shell', input: {} })
const at = (callId: string) => ({ turn: 3, step: 2, callId, name: 'shell' })
const call = (callId: string): Logged => ['tool/call', { ...at(callId), input: {} }]
const result = (callId: string): Logged => ['tool/result', { ...at(callId), status: 'ok', content: [] }]
const ask = (callId: string): Logged => ['approval/asked', { ...at(callId), approvalId: `q-${callId}` }]
const decide = (callId: string): Logged => ['approval/decided', { approvalId: `q-${callId}`, callId }]

function closed(events: readonly StoredEvent[], draft: Draft | null = null) {
  return closersOf(events, draft).map(({ type, data }) => {
    if (type === 'tool/result') return [type, data.callId, data.code]
    return type === 'turn/end' ? [type, data.reason.kind] : [type]
  })
}

describe('closers', () => {
  it.each([
    ['an empty log', []],
    ['a finished turn', [start, step, stepEnd, end]],
    ['messages between turns', [start, end, ['user/message', {}]]],
    ['calls that no turn holds', [call('a'), says([wants('b')])]],
  ] as [string, Logged[]][])('are none for %s', (_, log) => {
    expect(closed(logOf(...log))).toEqual([])
    expect(hasOpenTurn(logOf(...log))).toBe(false)
  })

  it('end a turn that has begun nothing', () => {
    expect(closersOf(logOf(start), null)).toEqual([
      { type: 'turn/end', data: { turn: 3, reason: { kind: 'interrupted' } } },
    ])
  })

  it('end an open step before the turn', () => {
    expect(closersOf(logOf(start, step), null)).toEqual([
      { type: 'step/end', data: { turn: 3, step: 2 } },
      { type: 'turn/end', data: { turn: 3, reason: { kind: 'interrupted' } } },
    ])
  })

  it('say of a call that was started that its effects are unknown, of another that it had none', () => {
    const closers = closersOf(logOf(start, step, says([wants('a'), wants('b')]), call('a')), null)

    expect(closers.slice(0, 2)).toEqual([
      {
        type: 'tool/result',
        data: {
          ...at('a'),
          status: 'error',
          code: 'TOOL_OUTCOME_UNKNOWN',
          content: [{ type: 'text', text: expect.stringContaining('check before you repeat it') }],
        },
      },
      {
        type: 'tool/result',
        data: {
          ...at('b'),
          status: 'error',
          code: 'TOOL_NOT_STARTED',
          content: [{ type: 'text', text: expect.stringContaining('no effect') }],
        },
      },
    ])
  })

  it('answer every unanswered call in the order in which the model asked', () => {
    const log = logOf(
      start,
      step,
      says([wants('a'), wants('b'), wants('c')]),
      call('b'),
      call('a'),
      result('b'),
    )
    expect(closed(log)).toEqual([
      ['tool/result', 'a', 'TOOL_OUTCOME_UNKNOWN'],
      ['tool/result', 'c', 'TOOL_NOT_STARTED'],
      ['step/end'],
      ['turn/end', 'interrupted'],
    ])
  })

  it('answer a call whose step has ended, in the step that it belongs to', () => {
    const log = logOf(start, step, says([wants('a')]), call('a'), stepEnd)
    expect(closersOf(log, null)[0]).toMatchObject({ data: { turn: 3, step: 2, callId: 'a' } })
    expect(closed(log)).toEqual([
      ['tool/result', 'a', 'TOOL_OUTCOME_UNKNOWN'],
      ['turn/end', 'interrupted'],
    ])
  })

  it('owe nothing to the calls of a message that was cut off, nor to those of an earlier turn', () => {
    expect(closed(logOf(start, says([wants('a')], { interrupted: true })))).toEqual([
      ['turn/end', 'interrupted'],
    ])
    expect(closed(logOf(start, says([wants('a')]), end, start))).toEqual([['turn/end', 'interrupted']])
  })

  it('leave nothing open behind them', () => {
    const log = logOf(start, step, says([wants('a'), wants('b')]), call('a'))
    const closers = closersOf(log, null).map((closer, index) => ({
      seq: log.length + index,
      time: 9,
      ...closer,
    }))
    expect(closersOf([...log, ...closers], null)).toEqual([])
    expect(hasOpenTurn([...log, ...closers])).toBe(false)
  })

  it('stand data that no writer of ours wrote', () => {
    const odd = { toString: 1, valueOf: null }
    const log = logOf(
      ['turn/start', odd],
      ['step/start', null],
      says([null, { type: 'tool-call', callId: odd }], { id: odd }),
      ['tool/call', { callId: odd, name: odd }],
      ['approval/asked', odd],
      ['tool/result', 'x'],
    )
    expect(() => closersOf(log, null)).not.toThrow()
  })
})

describe('a draft', () => {
  const draft = (change: Partial<Draft> = {}): Draft => ({
    id: 'draft',
    turn: 3,
    step: 2,
    content: [
      { type: 'text', text: 'Half a sen' },
      { type: 'tool-call', callId: 'x', name: 'shell', input: {} },
    ],
    model: { provider: 'p', model: 'm' },
    ...change,
  })

  it('becomes the interrupted message that it was, without its half-made calls, before the other closers', () => {
    const closers = closersOf(logOf(start, step), draft())
    expect(closers[0]).toEqual({
      type: 'assistant/message',
      data: {
        id: 'draft',
        turn: 3,
        step: 2,
        content: [{ type: 'text', text: 'Half a sen' }],
        usage: null,
        model: { provider: 'p', model: 'm' },
        interrupted: true,
      },
    })
    expect(closers.slice(1).map(({ type }) => type)).toEqual(['step/end', 'turn/end'])
  })

  it.each([
    ['of another turn', draft({ turn: 2 })],
    ['of a message that was finished', draft({ id: 'm' })],
    [
      'that holds nothing but calls',
      draft({ content: [{ type: 'tool-call', callId: 'x', name: 'n', input: {} }] }),
    ],
    ['that is empty', draft({ content: [] })],
  ])('%s is dropped', (_, stale) => {
    expect(closed(logOf(start, step, says([{ type: 'text', text: 'done' }])), stale)).toEqual([
      ['step/end'],
      ['turn/end', 'interrupted'],
    ])
  })

  it('adds nothing to a log that is closed', () => {
    expect(closed(logOf(start, end), draft())).toEqual([])
  })
})

describe('a log that waits for a person', () => {
  const asked = [start, step, says([wants('a'), wants('b')]), ask('a')] as const

  it('is not interrupted: it has no closers', () => {
    expect(isWaitingForApproval(logOf(...asked))).toBe(true)
    expect(closed(logOf(...asked))).toEqual([])
    expect(hasOpenTurn(logOf(...asked))).toBe(true)
  })

  it('waits no more once the question is decided, or a call was started', () => {
    expect(isWaitingForApproval(logOf(...asked, decide('a')))).toBe(false)
    expect(isWaitingForApproval(logOf(...asked, call('b')))).toBe(false)
    expect(closed(logOf(...asked, decide('a')))).toEqual([
      ['tool/result', 'a', 'TOOL_NOT_STARTED'],
      ['tool/result', 'b', 'TOOL_NOT_STARTED'],
      ['step/end'],
      ['turn/end', 'interrupted'],
    ])
  })

  it('still waits when another of its calls has its result', () => {
    expect(isWaitingForApproval(logOf(...asked, call('b'), result('b')))).toBe(true)
  })

  it('does not wait for a question about a call that it does not owe', () => {
    expect(isWaitingForApproval(logOf(start, says([wants('a')]), ask('other')))).toBe(false)
    expect(isWaitingForApproval(logOf(...asked, end))).toBe(false)
  })
})

import { describe, expect, it } from 'vitest'
import type { NewEvent, StoredEvent } from '#shared/session/events.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { activityOf } from './lane-activity.ts'

const child = toSessionId('child-1')
const start: NewEvent = { type: 'turn/start', data: { turn: 1 } }
const end: NewEvent = { type: 'turn/end', data: { turn: 1, reason: { kind: 'completed' } } }
const call = (callId: string, extra: object = {}): NewEvent => ({
  type: 'tool/call',
  data: { turn: 1, step: 1, callId, name: 'delegate', input: {}, ...extra },
})
const asked: NewEvent = {
  type: 'approval/asked',
  data: {
    turn: 1,
    step: 1,
    callId: 'c',
    approvalId: 'a',
    name: 'shell',
    toolClass: 'shell',
    input: {},
    pattern: 'shell: ls',
  },
}
const decided: NewEvent = {
  type: 'approval/decided',
  data: { approvalId: 'a', callId: 'c', decision: { kind: 'allow', scope: 'once' }, by: 'person' },
}
const settled: NewEvent = {
  type: 'subagent/settled',
  data: { childId: child, childSeq: 3, label: 'Child', outcome: 'completed', text: '' },
}

function log(...events: readonly NewEvent[]): StoredEvent[] {
  return events.map((event, seq) => ({ seq, time: 1000 * (seq + 1), ...event }))
}

describe('the activity of a lane', () => {
  it('is its turns, its calls and the children it started', () => {
    const {
      turns,
      calls,
      started,
      settled: back,
    } = activityOf(log(start, call('one', { childId: child }), end, start, settled), 0)
    expect(turns).toEqual([
      { from: 1000, to: 3000 },
      { from: 4000, to: null },
    ])
    expect(calls).toEqual([2000])
    expect(started.get(child)).toBe(2000)
    expect(back.get(child)).toBe(5000)
  })

  it('knows how long it waited for an answer, and that it still does', () => {
    expect(activityOf(log(start, asked), 0).waits).toEqual([{ from: 2000, to: null }])
    expect(activityOf(log(start, asked, decided, end), 0).waits).toEqual([{ from: 2000, to: 3000 }])
    expect(activityOf(log(start, asked, end), 0).waits).toEqual([{ from: 2000, to: 3000 }])
  })

  it('takes nothing that a fork inherited for its own', () => {
    expect(activityOf(log(start, call('one'), end, start, end), 3)).toMatchObject({
      turns: [{ from: 4000, to: 5000 }],
      calls: [],
    })
  })

  it('lets a turn that began above the window begin with the window', () => {
    expect(activityOf(log(call('one'), end), 0).turns).toEqual([{ from: 1000, to: 2000 }])
  })

  it('knows whether there was more before it', () => {
    const events = log(start, call('one'), end)
    expect(activityOf(events, 0).whole).toBe(true)
    expect(activityOf(events.slice(1), 0).whole).toBe(false)
  })

  it('reads past what it cannot read', () => {
    const broken = {
      seq: 1,
      time: 2000,
      type: 'tool/call',
      data: { nothing: true },
    } as unknown as StoredEvent
    expect(activityOf([...log(start), broken], 0)).toMatchObject({
      calls: [],
      turns: [{ from: 1000, to: null }],
    })
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PendingApproval } from '#shared/contract.ts'
import type { NewEvent, StoredEvent } from '#shared/session/events.ts'
import { toSessionId } from '#shared/session/ids.ts'
import type { Row } from './row.ts'
import { createTranscriptRows, rowsOf, type TranscriptWindow } from './rows.ts'

const child = toSessionId('child-1')
const at = { turn: 1, step: 1 }

function log(
  ...events: readonly (NewEvent | { readonly type: string; readonly data: unknown })[]
): StoredEvent[] {
  return events.map((event, seq) => ({ seq, time: 1000 + seq * 1000, ...event }))
}

function windowOf(events: readonly StoredEvent[], more: Partial<TranscriptWindow> = {}): TranscriptWindow {
  return { events, live: new Map(), seedLength: 0, atStart: true, damage: [], approvals: [], ...more }
}

function said(id: string, text: string): NewEvent {
  return { type: 'user/message', data: { id, source: { kind: 'person' }, content: [{ type: 'text', text }] } }
}

type Block = Extract<NewEvent, { type: 'assistant/message' }>['data']['content'][number]
function answered(id: string, ...content: Block[]): NewEvent {
  return { type: 'assistant/message', data: { id, ...at, content, usage: null, model: null } }
}

const turnStart: NewEvent = { type: 'turn/start', data: { turn: 1 } }
const completed: NewEvent = { type: 'turn/end', data: { turn: 1, reason: { kind: 'completed' } } }
const asks = (callId: string, name = 'read', input = { path: 'a.ts' }): Block => ({
  type: 'tool-call',
  callId,
  name,
  input,
})
const called = (callId: string, extra: object = {}): NewEvent => ({
  type: 'tool/call',
  data: { ...at, callId, name: 'read', input: { path: 'a.ts' }, ...extra },
})
const result = (callId: string, extra: object = {}): NewEvent => ({
  type: 'tool/result',
  data: { ...at, callId, name: 'read', status: 'ok', content: [{ type: 'text', text: 'hello' }], ...extra },
})

function kinds(rows: readonly Row[]): string[] {
  return rows.map(row => row.kind)
}

function pending(id: string, since: number): PendingApproval {
  const approval = {
    approvalId: id,
    callId: id,
    name: 'shell',
    toolClass: 'shell',
    input: {},
    pattern: 'x',
    since,
    seq: 1,
  } as const
  return { sessionId: child, rootId: child, label: id, path: [], cwd: null, approval }
}

describe('rows of a conversation', () => {
  it('shows a turn as message, thinking, text, call and end, in the order of the log', () => {
    const events = log(
      turnStart,
      said('m1', 'hi'),
      { type: 'step/start', data: at },
      answered('a1', { type: 'reasoning', text: 'hmm' }, { type: 'text', text: 'ok' }, asks('c1')),
      called('c1'),
      result('c1', { summary: '4 lines', durationMs: 90 }),
      completed,
    )

    const { rows } = rowsOf(windowOf(events))

    expect(kinds(rows)).toEqual(['message', 'thinking', 'text', 'tool', 'turn-end'])
    expect(rows[3]).toMatchObject({
      verb: 'Read',
      target: 'a.ts',
      state: 'ok',
      startedAt: 5000,
      resultSeq: 5,
    })
    expect(rows[4]).toMatchObject({ reason: { kind: 'completed' }, startedAt: 1000 })
  })

  it('shows a call from the moment the model asks for it', () => {
    expect(rowsOf(windowOf(log(turnStart, answered('a', asks('c1'))))).rows).toMatchObject([
      { kind: 'tool', state: 'asked' },
    ])
  })

  it('marks a denied call, also when no tool ever ran', () => {
    const decided: NewEvent = {
      type: 'approval/decided',
      data: { approvalId: 'p', callId: 'c1', decision: { kind: 'deny' }, by: 'person' },
    }
    const rows = rowsOf(windowOf(log(turnStart, answered('a', asks('c1')), decided, completed))).rows
    expect(rows[0]).toMatchObject({ kind: 'tool', state: 'denied' })
  })

  it('says of a call without a result that it is over once its turn has ended', () => {
    const rows = rowsOf(windowOf(log(turnStart, answered('a', asks('c1')), called('c1'), completed))).rows
    expect(rows[0]).toMatchObject({ kind: 'tool', state: 'over' })
  })

  it('turns a call that starts a child into a card which its settlement completes', () => {
    const input = { description: 'Audit the parser', prompt: 'go' }
    const events = log(
      turnStart,
      answered('a', asks('c1', 'delegate')),
      called('c1', { name: 'delegate', input, childId: child, background: true }),
      result('c1', { content: [{ type: 'text', text: 'started' }] }),
      {
        type: 'subagent/settled',
        data: {
          childId: child,
          childSeq: 9,
          label: 'Audit the parser',
          outcome: 'completed',
          text: 'All good\nmore',
        },
      },
    )

    expect(rowsOf(windowOf(events.slice(0, 4))).rows).toMatchObject([
      { kind: 'delegate', outcome: null, text: '' },
    ])
    expect(rowsOf(windowOf(events)).rows).toMatchObject([
      {
        kind: 'delegate',
        label: 'Audit the parser',
        childId: child,
        outcome: 'completed',
        text: 'All good',
        endedAt: 5000,
      },
    ])
  })

  it('shows the words of a settlement, named and without the frame the model reads', () => {
    const events = log(
      {
        type: 'subagent/settled',
        data: { childId: child, childSeq: 9, label: 'Audit', outcome: 'failed', text: 'Out of money.' },
      },
      {
        type: 'user/message',
        data: {
          id: 'm',
          source: { kind: 'settlement', from: child },
          content: [{ type: 'text', text: `Agent "Audit" (${child}) failed. No credit.\n\nOut of money.` }],
        },
      },
    )
    expect(rowsOf(windowOf(events)).rows).toMatchObject([
      {
        kind: 'message',
        label: 'Audit',
        outcome: 'failed',
        content: [{ text: 'No credit.\n\nOut of money.' }],
      },
    ])
  })

  it('puts a mark where events are missing, between both readable sides and at the end', () => {
    const [first, , , , fifth] = log(
      said('1', 'a'),
      said('2', 'b'),
      said('3', 'c'),
      said('4', 'd'),
      said('5', 'e'),
    )
    const damage = [{ kind: 'damaged-tail', fromSeq: 5, lost: 2 }] as const
    const { rows } = rowsOf(windowOf([first!, fifth!], { damage }))
    expect(rows.map(row => (row.kind === 'gap' ? `${row.missing} ${row.side}` : row.kind))).toEqual([
      'message',
      '3 between',
      'message',
      '2 end',
    ])
  })

  it('says that the beginning is missing only when there is nothing above to load', () => {
    const events = log(said('1', 'a'), said('2', 'b')).slice(1)
    expect(kinds(rowsOf(windowOf(events)).rows)).toEqual(['gap', 'message'])
    expect(kinds(rowsOf(windowOf(events, { atStart: false })).rows)).toEqual(['message'])
  })

  it('shows an unknown or malformed event as an opaque row and folds raw import lines into one', () => {
    const raw: NewEvent = { type: 'import/raw', data: { lineType: 'x', line: 1, value: null } }
    const rows = rowsOf(
      windowOf(log({ type: 'future/thing', data: 1 }, { type: 'turn/end', data: 'no' }, raw, raw, raw)),
    ).rows
    expect(kinds(rows)).toEqual(['opaque', 'opaque', 'note'])
    expect(rows[2]).toMatchObject({ note: { of: 'raw', count: 3 } })
  })

  it('does not call the first choice of a model a change because what stood before it is lost', () => {
    const events: StoredEvent[] = log(
      { type: 'model/changed', data: { route: { provider: 'p', model: 'm' }, by: 'parent' } },
      said('1', 'hi'),
    ).map(event => ({ ...event, seq: event.seq + 1 }))
    expect(kinds(rowsOf(windowOf(events)).rows)).toEqual(['gap', 'message'])
  })

  it('gives each teammate of an imported message a bubble, and the tool a note', () => {
    const text =
      '<teammate-message teammate_id="alice">Done</teammate-message>\n<system-reminder>Be brief</system-reminder>'
    expect(rowsOf(windowOf(log(said('1', text)))).rows).toMatchObject([
      { kind: 'message', label: 'alice', key: 'm:1' },
      { kind: 'note', note: { of: 'context', label: 'Reminder for the model', text: 'Be brief' } },
    ])
  })

  it('reads an imported slash command', () => {
    const text = '<command-name>/review</command-name><command-args>src</command-args>'
    expect(rowsOf(windowOf(log(said('1', text)))).rows).toMatchObject([
      { kind: 'command', name: 'review', args: 'src' },
    ])
  })

  it('counts the rows of an inherited prefix', () => {
    const events = log(
      said('1', 'a'),
      said('2', 'b'),
      { type: 'session/end-seed', data: { source: child } },
      said('3', 'c'),
    )
    expect(rowsOf(windowOf(events, { seedLength: 3 })).inherited).toBe(2)
  })

  it('keeps the key of a streamed text when its message is logged', () => {
    const live = new Map([['a1', { text: 'He', reasoning: 'so' }]])
    const before = rowsOf(windowOf(log(turnStart), { live })).rows
    const message = answered('a1', { type: 'reasoning', text: 'so' }, { type: 'text', text: 'Hello' })
    const after = rowsOf(windowOf(log(turnStart, message), { live })).rows
    expect(before.map(row => row.key)).toEqual(after.map(row => row.key))
    expect(after).toMatchObject([
      { kind: 'thinking', live: false },
      { kind: 'text', text: 'Hello', live: false },
    ])
  })

  it('shows open approvals last, the oldest first, with their count', () => {
    const { rows } = rowsOf(windowOf([], { approvals: [pending('late', 20), pending('early', 10)] }))
    expect(rows).toMatchObject([
      { kind: 'approval', position: 1, total: 2, pending: { label: 'early' } },
      { kind: 'approval', position: 2, total: 2, pending: { label: 'late' } },
    ])
  })

  it('hands out the same row objects after an append and after a prepended page', () => {
    const events = log(said('1', 'a'), said('2', 'b'), said('3', 'c'), said('4', 'd'))
    const update = createTranscriptRows()
    const middle = update(windowOf(events.slice(1, 3), { atStart: false })).rows
    const appended = update(windowOf(events.slice(1), { atStart: false })).rows
    const prepended = update(windowOf(events)).rows
    expect(appended[0]).toBe(middle[0])
    expect(prepended.slice(1)).toEqual(appended)
    for (const [index, row] of prepended.slice(1).entries()) expect(row).toBe(appended[index])
    expect(update(windowOf(events)).rows).toBe(prepended)
  })

  it('folds only the new event of a long log', () => {
    const long = log(...Array.from({ length: 20_000 }, (_, n) => said(`m${n}`, 'x')))
    const update = createTranscriptRows()
    update(windowOf(long.slice(0, -1)))
    const guarded = long.map((event, index) =>
      index < long.length - 1 && index > 0 && index !== long.length - 2 ? poisoned(event) : event,
    )
    guarded[0] = long[0]!
    expect(update(windowOf(guarded)).rows).toHaveLength(20_000)
  })
})

/** An event that fails the test when anything reads its data. */
function poisoned(event: StoredEvent): StoredEvent {
  return Object.defineProperty({ ...event }, 'data', {
    get: () => {
      throw new Error('an old event was folded again')
    },
  })
}

describe('any log', () => {
  const types = [
    'turn/start',
    'turn/end',
    'step/start',
    'user/message',
    'assistant/message',
    'tool/call',
    'tool/result',
    'approval/decided',
    'subagent/settled',
    'subagent/report',
    'subagent/descriptor',
    'compaction/summary',
    'import/raw',
    'llm/retry',
    'odd/type',
  ]
  const anything = fc.record({ type: fc.constantFrom(...types), data: fc.anything() })
  const callId = fc.constantFrom('c1', 'c2', 'c3')
  const meaningful = fc.oneof(
    fc.constant(turnStart),
    fc.constant(completed),
    fc.string().map(text => said(`u${text.length}`, text)),
    fc
      .tuple(callId, fc.string())
      .map(([id, text]) => answered(`a${text.length}`, { type: 'text', text }, asks(id))),
    callId.map(id => called(id)),
    callId.map(id =>
      called(id, { childId: child, background: true, name: 'delegate', input: { description: 'Audit' } }),
    ),
    callId.map(id => result(id)),
  )
  const anyLog = fc.array(
    fc.oneof({ weight: 1, arbitrary: anything }, { weight: 3, arbitrary: meaningful }),
    { maxLength: 40 },
  )

  it('never throws and never repeats a key', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(10), (events, seedLength) => {
        const { rows } = rowsOf(windowOf(log(...events), { seedLength }))
        expect(new Set(rows.map(row => row.key)).size).toBe(rows.length)
      }),
    )
  })

  it('gives the same rows however it was cut into appends', () => {
    fc.assert(
      fc.property(anyLog, fc.array(fc.nat(40), { maxLength: 6 }), (events, cuts) => {
        const stored = log(...events)
        const update = createTranscriptRows()
        for (const cut of cuts.toSorted((a, b) => a - b)) update(windowOf(stored.slice(0, cut)))
        expect(update(windowOf(stored))).toEqual(rowsOf(windowOf(stored)))
      }),
    )
  })

  it('keeps the place of every row as it grows: keys of a prefix are a prefix of the keys', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(40), (events, cut) => {
        const stored = log(...events)
        const keys = (upTo: number) => rowsOf(windowOf(stored.slice(0, upTo))).rows.map(row => row.key)
        const short = keys(cut)
        expect(keys(stored.length).slice(0, short.length)).toEqual(short)
      }),
    )
  })

  it('changes only rows that are still open: a settled row is the same whatever follows', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(40), (events, cut) => {
        const stored = log(...events)
        const before = rowsOf(windowOf(stored.slice(0, cut))).rows
        const after = rowsOf(windowOf(stored)).rows
        for (const [index, row] of before.entries()) {
          const open =
            row.kind === 'delegate' || (row.kind === 'tool' && row.result === null) || row.kind === 'note'
          if (!open) expect(after[index]).toEqual(row)
        }
      }),
    )
  })
})

describe('what came shortened', () => {
  const cut = [{ path: ['content', 0, 'text'], bytes: 30_000_000 }]

  it('is told once an event, on its first row', () => {
    const [first, second] = log(
      answered('a', { type: 'reasoning', text: 'Hm.' }, { type: 'text', text: 'So …' }),
      said('b', 'short'),
    )
    const { rows } = rowsOf(windowOf([{ ...first!, cut }, second!]))

    expect(rows.map(row => row.cut)).toEqual([cut, undefined, undefined])
  })

  it('is told of a call and of its result apart', () => {
    const [asked, began, ended] = log(answered('a', asks('c1')), called('c1'), result('c1'))
    const { rows } = rowsOf(windowOf([asked!, began!, { ...ended!, cut }]))

    expect(rows).toMatchObject([{ kind: 'tool', resultSeq: 2, resultCut: cut }])
    expect(rows[0]?.cut).toBeUndefined()
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Fold } from '#shared/projection/fold.ts'
import { UNITS } from '#shared/projection/units.ts'
import { type EventData, type EventType, readEvent } from '#shared/session/events.ts'
import { parseDescriptor } from '#shared/subagent/descriptor.ts'
import { asRecord, type JsonValue } from '../json-fields.ts'
import type { ImportedSession } from '../reader.ts'
import { MAX_IMAGE_BYTES } from './content-blocks.ts'
import { brokenPromises } from './fixtures/check-imported.ts'
import { agent, SESSION, session, TranscriptBuilder } from './fixtures/lines.ts'
import { toLine } from './line.ts'
import { type ClaudeSession, readClaudeHistory } from './read-history.ts'

function read(input: ClaudeSession): ImportedSession[] {
  const sessions = readClaudeHistory(input)
  expect(brokenPromises(sessions)).toEqual([])
  return sessions
}

function only(builder: TranscriptBuilder, more: Partial<ClaudeSession> = {}): ImportedSession {
  const [root] = read(session(builder, more))
  return root!
}

function dataOf<T extends EventType>({ events }: ImportedSession, type: T): EventData<T>[] {
  return events.flatMap(stored => {
    const event = stored.type === type ? readEvent(stored) : null
    return event === null ? [] : [event.data as EventData<T>]
  })
}

const typesOf = ({ events }: ImportedSession) => events.map(({ type }) => type)
const endsOf = (one: ImportedSession) => dataOf(one, 'turn/end').map(({ reason }) => reason)
const chat = () => new TranscriptBuilder()

describe('a main transcript', () => {
  it('becomes turns, steps, calls and results in their order', () => {
    const root = only(
      chat()
        .user('Fix the test')
        .calls('m1', 't1', 'Read', { file_path: 'a.ts' })
        .result('t1', 'text')
        .says('m2', 'Done'),
    )
    expect(typesOf(root)).toEqual([
      'import/source',
      'session/title',
      'turn/start',
      'user/message',
      'step/start',
      'assistant/message',
      'tool/call',
      'tool/result',
      'step/end',
      'step/start',
      'assistant/message',
      'step/end',
      'turn/end',
    ])
    expect(root.header).toEqual({
      version: 1,
      id: `claude-${SESSION}`,
      createdAt: Date.UTC(2026, 0, 5, 9),
      cwd: '/home/kim/shop',
      preset: 'imported',
    })
    expect(endsOf(root)).toEqual([{ kind: 'completed' }])
    expect(dataOf(root, 'user/message')[0]?.source).toEqual({ kind: 'person' })
  })

  it('is the same each time it is read', () => {
    const make = () => read(session(chat().user('Hi').says('m1', 'Hello')))
    expect(make()).toEqual(make())
  })

  it('counts the usage of a message once, from its last line, and unites its blocks (P103)', () => {
    const usage = (output: number) => ({
      usage: { input_tokens: 3, output_tokens: output, cache_read_input_tokens: 7 },
    })
    const root = only(
      chat()
        .user('Go')
        .assistant('m1', [{ type: 'thinking', thinking: 'Hm', signature: 'sig' }], usage(1))
        .assistant('m1', [{ type: 'text', text: 'I will' }], usage(1))
        .assistant('m1', [{ type: 'text', text: 'I will look' }], usage(2))
        .assistant('m1', [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }], usage(9))
        .result('t1'),
    )
    const [message, ...rest] = dataOf(root, 'assistant/message')
    expect(rest).toEqual([])
    expect(message?.usage).toEqual({ input: 3, output: 9, cacheRead: 7 })
    expect(message?.model).toEqual({ provider: 'anthropic', model: 'claude-test-1' })
    expect(message?.content).toEqual([
      { type: 'reasoning', text: 'Hm', signature: 'sig' },
      { type: 'text', text: 'I will look' },
      { type: 'tool-call', callId: 't1', name: 'Bash', input: { command: 'ls' } },
    ])
  })

  it('keeps every message without an id apart', () => {
    const text = (words: string) => [{ type: 'text', text: words }]
    const root = only(chat().user('Go').assistant('', text('a')).assistant('', text('b')))
    expect(dataOf(root, 'assistant/message')).toHaveLength(2)
  })

  it('takes a tool error, a refusal and a diff from the result', () => {
    const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-a', '+b'] }]
    const detail = { toolUseResult: { filePath: '/home/kim/shop/src/a.ts', structuredPatch: patch } }
    const root = only(
      chat()
        .user('Go')
        .calls('m1', 't1', 'Bash')
        .result('t1', 'exit 1', { is_error: true })
        .calls('m2', 't2', 'Edit')
        .result('t2', "The user doesn't want to proceed with this", { is_error: true })
        .calls('m3', 't3', 'Edit')
        .result('t3', 'ok', {}, detail)
        .says('m4', 'Done'),
    )
    const [failed, refused, edited] = dataOf(root, 'tool/result')
    expect(failed).toMatchObject({
      status: 'error',
      content: [{ type: 'text', text: 'exit 1' }],
      durationMs: 1000,
    })
    expect(failed?.code).toBeUndefined()
    expect(refused?.code).toBe('DENIED')
    expect(edited).toMatchObject({
      status: 'ok',
      files: ['src/a.ts'],
      diff: '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,1 +1,1 @@\n-a\n+b\n',
    })
  })

  it('shows the todo list that the agent kept', () => {
    const todos = [{ content: 'Look', status: 'pending', activeForm: 'Looking' }]
    const root = only(
      chat().user('Go').calls('m1', 't1', 'TodoWrite', { todos }).result('t1').says('m2', 'Ok'),
    )
    expect(dataOf(root, 'todo/write')).toEqual([{ items: [{ content: 'Look', status: 'pending' }] }])
  })

  it('says that a person stopped it', () => {
    const interrupt = [{ type: 'text', text: '[Request interrupted by user for tool use]' }]
    const root = only(
      chat()
        .user('Go')
        .calls('m1', 't1', 'Bash')
        .result('t1', 'no', { is_error: true })
        .user(interrupt)
        .user('Then this')
        .says('m2', 'Yes'),
    )
    expect(endsOf(root)).toEqual([{ kind: 'aborted', by: 'user' }, { kind: 'completed' }])
  })

  it('is interrupted where a call has no result, which is said in words', () => {
    const root = only(chat().user('Go').calls('m1', 't1', 'Bash'))
    expect(endsOf(root)).toEqual([{ kind: 'interrupted' }])
    expect(dataOf(root, 'tool/result')[0]).toMatchObject({ status: 'error', code: 'TOOL_OUTCOME_UNKNOWN' })
  })

  it('is interrupted where nobody answered', () => {
    expect(endsOf(only(chat().user('Go').says('m1', 'Yes').user('And?')))).toEqual([
      { kind: 'completed' },
      { kind: 'interrupted' },
    ])
  })

  it('fails with the words of the API, unless the model went on after it', () => {
    const broken = (id: string) =>
      [
        id,
        [{ type: 'text', text: 'API Error: 529' }],
        { model: '<synthetic>' },
        { isApiErrorMessage: true },
      ] as const
    const failed = only(
      chat()
        .user('Go')
        .assistant(...broken('e1')),
    )
    expect(endsOf(failed)).toEqual([
      { kind: 'error', code: 'MODEL_FAILED', message: 'API Error: 529', retryable: true },
    ])
    expect(dataOf(failed, 'assistant/message')[0]).toMatchObject({ model: null, usage: null })
    expect(
      endsOf(
        only(
          chat()
            .user('Go')
            .assistant(...broken('e1'))
            .says('m1', 'Here'),
        ),
      ),
    ).toEqual([{ kind: 'completed' }])
  })

  it('tells a limit and a refusal from an end', () => {
    const stop = (reason: string) =>
      only(
        chat()
          .user('Go')
          .assistant('m', [{ type: 'text', text: 'x' }], { stop_reason: reason }),
      )
    expect(endsOf(stop('max_tokens'))).toEqual([{ kind: 'max-tokens' }])
    expect(endsOf(stop('refusal'))).toEqual([{ kind: 'blocked' }])
  })

  it('keeps images as images, up to a size', () => {
    const image = (data: string) => ({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data },
    })
    const big = 'A'.repeat(Math.ceil(MAX_IMAGE_BYTES / 0.75) + 8)
    const remote = { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } }
    const svg = { type: 'image', source: { type: 'base64', media_type: 'text/html', data: 'AAAA' } }
    const root = only(
      chat()
        .user([image('iVBORw0KGgo='), image(big), remote, svg])
        .says('m', 'I see'),
    )
    expect(dataOf(root, 'user/message')[0]?.content).toEqual([
      { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
      { type: 'text', text: '[image, 8.0 MiB, too big to import]' },
      { type: 'text', text: '[image at https://example.org/a.png, not loaded]' },
      { type: 'text', text: '[image that cannot be shown]' },
    ])
  })

  it('shows a slash command the way it was typed, and its skill as context', () => {
    const command =
      '<command-message>review is running…</command-message>\n<command-name>/review</command-name>\n<command-args>src</command-args>'
    const root = only(
      chat()
        .user(command)
        .user([{ type: 'text', text: 'Skill body' }], { isMeta: true })
        .says('m1', 'Fine'),
    )
    const [typed, skill] = dataOf(root, 'user/message')
    expect(typed).toMatchObject({
      source: { kind: 'person' },
      content: [{ type: 'text', text: '/review src' }],
    })
    expect(skill?.source).toEqual({ kind: 'context' })
    expect(dataOf(root, 'session/title')).toEqual([{ title: '/review src', source: 'import' }])
    expect(endsOf(root)).toEqual([{ kind: 'completed' }])
  })

  it('puts a queued prompt into the turn it was typed in', () => {
    const attachment = { type: 'queued_command', prompt: 'Also the docs', commandMode: 'prompt' }
    const root = only(
      chat()
        .user('Go')
        .calls('m1', 't1', 'Bash')
        .result('t1')
        .chained('attachment', { attachment })
        .says('m2', 'Both'),
    )
    expect(dataOf(root, 'turn/start')).toHaveLength(1)
    expect(dataOf(root, 'user/message').map(({ content }) => content)).toEqual([
      [{ type: 'text', text: 'Go' }],
      [{ type: 'text', text: 'Also the docs' }],
    ])
  })

  it('marks a compaction and shadows what came before', () => {
    const root = only(
      chat()
        .user('Go')
        .says('m1', 'Yes')
        .chained('system', {
          subtype: 'compact_boundary',
          parentUuid: null,
          logicalParentUuid: 'assistant-1',
          compactMetadata: { trigger: 'auto' },
        })
        .user('They talked.', { isCompactSummary: true })
        .user('On')
        .says('m2', 'Ok'),
    )
    const at = typesOf(root).indexOf('compaction/start')
    expect(typesOf(root).slice(at, at + 3)).toEqual([
      'compaction/start',
      'compaction/summary',
      'compaction/end',
    ])
    expect(dataOf(root, 'compaction/summary')).toEqual([
      { fromSeq: 0, toSeq: at - 1, summary: 'They talked.' },
    ])
    expect(dataOf(root, 'user/message')).toHaveLength(2)
  })

  it('keeps lines of unknown types whole', () => {
    const root = only(
      chat()
        .user('Go')
        .says('m1', 'Yes')
        .side('from-the-future', { payload: [1, { a: null }] })
        .chained('system', { subtype: 'odd' }),
    )
    const raw = dataOf(root, 'import/raw')
    expect(raw[0]).toEqual({
      lineType: 'from-the-future',
      line: 3,
      value: { type: 'from-the-future', payload: [1, { a: null }] },
    })
    expect(raw[1]?.lineType).toBe('system:odd')
  })
})

describe('branches', () => {
  const fork = () =>
    chat()
      .user('First')
      .says('m1', 'One')
      .user('Old wording')
      .says('m2', 'Old answer')
      .user('New wording', { parentUuid: 'assistant-1' })
      .says('m3', 'New answer')

  it('show the one with the latest message and keep the other as raw lines', () => {
    const root = only(fork())
    expect(
      dataOf(root, 'user/message').map(({ content }) => asRecord(content[0] as JsonValue)?.['text']),
    ).toEqual(['First', 'New wording'])
    expect(dataOf(root, 'import/raw').map(({ line }) => line)).toEqual([3, 4])
  })

  it('that parallel tool calls make are all shown', () => {
    const root = only(
      chat()
        .user('Go')
        .calls('m1', 't1', 'Read')
        .calls('m1', 't2', 'Read')
        .result('t1', 'one', {}, { parentUuid: 'assistant-1' })
        .result('t2', 'two', {}, { parentUuid: 'assistant-2' })
        .says('m2', 'Done'),
    )
    expect(dataOf(root, 'tool/result').map(({ callId, status }) => [callId, status])).toEqual([
      ['t1', 'ok'],
      ['t2', 'ok'],
    ])
    expect(dataOf(root, 'import/raw')).toEqual([])
    expect(dataOf(root, 'assistant/message')).toHaveLength(2)
  })

  it('survive a line that is written twice, a missing parent and a circle', () => {
    const doubled = chat().user('Go').says('m1', 'Yes')
    doubled.records.push(doubled.records[1]!)
    expect(dataOf(only(doubled), 'assistant/message')).toHaveLength(1)
    const lost = only(chat().user('Go', { parentUuid: 'nowhere' }).says('m1', 'Yes'))
    expect(dataOf(lost, 'user/message')).toHaveLength(1)
    const circle = only(chat().user('Go', { parentUuid: 'assistant-1' }).says('m1', 'Yes'))
    expect(dataOf(circle, 'user/message')).toHaveLength(1)
    expect(dataOf(circle, 'assistant/message')).toHaveLength(1)
  })

  it('never hide two lines that only share a uuid', () => {
    const root = only(
      chat().user('Go', { uuid: 'x' }).says('m1', 'Yes').user('More', { uuid: 'x' }).says('m2', 'Ok'),
    )
    const ids = dataOf(root, 'user/message').map(({ id }) => id)
    expect(new Set(ids).size).toBe(2)
  })

  it('put no line before its parent', () => {
    const late = chat().user('Go').says('m1', 'Yes').user('More').says('m2', 'Ok')
    const [a, b, c, d] = late.records
    late.records.splice(0, 4, a!, d!, c!, b!)
    expect(dataOf(only(late), 'assistant/message').map(({ id }) => id)).toEqual(['m1', 'm2'])
  })
})

describe('titles', () => {
  it('follow the order: given, made, a summary of this session, first prompt without editor context', () => {
    const title = (builder: TranscriptBuilder, more: Partial<ClaudeSession> = {}) =>
      dataOf(only(builder, more), 'session/title')[0]?.title
    const talk = () => chat().user('<ide_selection>line 3</ide_selection>Why   this?').says('m1', 'So')
    expect(title(talk())).toBe('Why this?')
    expect(title(talk(), { summaries: new Map([['elsewhere', 'Not this one']]) })).toBe('Why this?')
    expect(title(talk(), { summaries: new Map([['assistant-1', 'About this']]) })).toBe('About this')
    expect(title(talk().side('ai-title', { aiTitle: 'Made' }))).toBe('Made')
    expect(
      title(talk().side('custom-title', { customTitle: 'Given' }).side('ai-title', { aiTitle: 'Made' })),
    ).toBe('Given')
    expect(title(chat().says('m1', 'So'))).toBe('(empty)')
  })
})

describe('agents', () => {
  const side = { isSidechain: true }
  const task = (id: string, prompt: string) => ({
    type: 'tool_use',
    id,
    name: 'Task',
    input: { description: `Do ${prompt}`, prompt },
  })
  const agentFile = (prompt: string) => new TranscriptBuilder(side).user(prompt).says('a1', 'Found it')

  it('inside the main file are told apart by their prompts', () => {
    const builder = chat()
      .user('Go')
      .assistant('m1', [task('t1', 'alpha'), task('t2', 'beta')])
    const last = 'assistant-1'
    builder
      .user('beta', { ...side, parentUuid: null })
      .assistant('b1', [{ type: 'text', text: 'B' }], {}, side)
    builder
      .user('alpha', { ...side, parentUuid: null })
      .assistant('a1', [{ type: 'text', text: 'A' }], {}, side)
    builder
      .result('t1', 'A', {}, { parentUuid: last })
      .result('t2', 'B', {}, { parentUuid: last })
      .says('m2', 'Both')
    const [root, beta, alpha, ...rest] = read(session(builder))
    expect(rest).toEqual([])
    expect(dataOf(root!, 'tool/call').map(({ callId, childId }) => [callId, childId])).toEqual([
      ['t1', alpha?.header.id],
      ['t2', beta?.header.id],
    ])
    expect(beta?.header).toMatchObject({
      id: `claude-${SESSION}.side-user-2`,
      parentSession: root?.header.id,
      origin: 'subagent',
      delegationDepth: 1,
    })
    expect(parseDescriptor(alpha?.events[1]?.data)).toMatchObject({
      kind: 'descriptor',
      descriptor: { mode: 'one-shot', label: 'Do alpha' },
    })
    expect(dataOf(alpha!, 'user/message')[0]?.source).toEqual({ kind: 'parent', from: root?.header.id })
    expect(dataOf(root!, 'assistant/message')).toHaveLength(2)
  })

  it('in files are linked by the id in the result, nested ones by the results of their own caller', () => {
    const main = chat()
      .user('Go')
      .assistant('m1', [task('t1', 'x')])
      .result('t1', 'ok', {}, { toolUseResult: { agentId: 'aaa1' } })
      .says('m2', 'Done')
    const outer = new TranscriptBuilder(side)
      .user('something else')
      .assistant('o1', [task('t9', 'y')])
      .result('t9', [{ type: 'text', text: 'fine\nagentId: bbb2 (use it)' }])
      .says('o2', 'Done')
    const [root, first, second] = read(
      session(main, { agents: [agent('bbb2', agentFile('z')), agent('aaa1', outer)] }),
    )
    expect(first?.header).toMatchObject({
      id: `claude-${SESSION}.agent-aaa1`,
      parentSession: root?.header.id,
      delegationDepth: 1,
    })
    expect(second?.header).toMatchObject({ parentSession: first?.header.id, delegationDepth: 2 })
    expect(second?.events[1]?.data).toMatchObject({ label: 'Do y' })
    expect(dataOf(first!, 'tool/call')[0]?.childId).toBe(second?.header.id)
  })

  it('take their label from the sidecar, then the call, then the workflow, else none', () => {
    const main = chat()
      .user('Go')
      .assistant('m1', [task('t1', 'x')])
      .says('m2', 'Done')
    const label = (more: Parameters<typeof agent>[2], labels: [string, string][] = []) => {
      const input = session(main, {
        agents: [agent('aaa1', agentFile('unlinked'), more)],
        workflowLabels: new Map(labels),
      })
      return asRecord(read(input)[1]?.events[1]?.data as JsonValue)?.['label']
    }
    expect(label({})).toBeUndefined()
    expect(label({}, [['aaa1', 'find:it']])).toBe('find:it')
    expect(label({ meta: { toolUseId: 't1' } }, [['aaa1', 'find:it']])).toBe('Do x')
    expect(label({ meta: { description: ' Look\n around ', toolUseId: 't1' } })).toBe('Look around')
  })

  it('of a workflow hang on the session that started the run', () => {
    const main = chat()
      .user('Go')
      .calls('m1', 't1', 'Workflow')
      .result('t1', 'started', {}, { toolUseResult: { runId: 'wf_1' } })
    const done = new TranscriptBuilder(side).user('do').calls('a1', 's1', 'StructuredOutput').result('s1')
    const [root, child] = read(session(main, { agents: [agent('aaa1', done, { workflow: 'wf_1' })] }))
    expect(child?.header.parentSession).toBe(root?.header.id)
    expect(endsOf(child!)).toEqual([{ kind: 'completed' }])
  })

  it('that name each other as caller hang on the main session', () => {
    const call = (id: string, other: string) =>
      new TranscriptBuilder(side)
        .user(`I am ${id}`)
        .assistant(id, [task(`t-${id}`, '')])
        .result(`t-${id}`, 'ok', {}, { toolUseResult: { agentId: other } })
    const [root, ...children] = read(
      session(chat().user('Go').says('m', 'x'), {
        agents: [agent('a111', call('a111', 'b222')), agent('b222', call('b222', 'a111'))],
      }),
    )
    expect(children).toHaveLength(2)
    expect(children.some(({ header }) => header.parentSession === root?.header.id)).toBe(true)
  })

  it('that went to the background and were killed are not taken for finished', () => {
    const killed = () => new TranscriptBuilder(side).user('x').calls('a1', 't5', 'Bash').result('t5')
    const end = (detail: Record<string, string>) => {
      const main = chat()
        .user('Go')
        .assistant('m1', [task('t1', 'x')])
        .result('t1', 'ok', {}, { toolUseResult: { agentId: 'aaa1', ...detail } })
        .says('m2', 'Ok')
      return endsOf(read(session(main, { agents: [agent('aaa1', killed())] }))[1]!)
    }
    expect(end({ status: 'completed' })).toEqual([{ kind: 'completed' }])
    expect(end({ status: 'async_launched' })).toEqual([{ kind: 'interrupted' }])
  })

  it('whose file lacks the task get it from the call', () => {
    const main = chat()
      .user('Go')
      .assistant('m1', [task('t1', 'the task')])
      .result('t1', 'ok', {}, { toolUseResult: { agentId: 'aaa1' } })
    const [, child] = read(
      session(main, { agents: [agent('aaa1', new TranscriptBuilder(side).says('a1', 'Found'))] }),
    )
    expect(dataOf(child!, 'user/message')[0]?.content).toEqual([{ type: 'text', text: 'the task' }])
  })

  it('asked again go on in a further turn', () => {
    const [, child] = read(
      session(chat().user('Go').says('m', 'x'), {
        agents: [agent('aaa1', agentFile('one').user('And two?').says('a2', 'Two'))],
      }),
    )
    expect(dataOf(child!, 'turn/start')).toHaveLength(2)
    expect(endsOf(child!)).toEqual([{ kind: 'completed' }, { kind: 'completed' }])
  })

  it('do not repeat what they inherited from the main transcript (P105)', () => {
    const main = chat().user('Secret plan').says('m1', 'Yes')
    const copy = new TranscriptBuilder(side)
    copy.records.push(...main.records.map(record => ({ ...record, ...side })))
    copy
      .user('Own task', { uuid: 'own-1' })
      .assistant('a1', [{ type: 'text', text: 'Own' }], {}, { uuid: 'own-2' })
    const [, child] = read(session(main, { agents: [agent('aaa1', copy)] }))
    expect(dataOf(child!, 'user/message')).toHaveLength(1)
    expect(dataOf(child!, 'assistant/message').map(({ id }) => id)).toEqual(['a1'])
  })

  it('without a session get one that says so, and leaves its id free', () => {
    const [root, child] = read(session(null, { agents: [agent('aaa1', agentFile('x'))] }))
    expect(root?.header.id).toBe(`claude-${SESSION}.orphans`)
    expect(dataOf(root!, 'session/title')[0]?.title).toBe('Session 3f1c0a52 (its own transcript is missing)')
    expect(child?.header.parentSession).toBe(root?.header.id)
  })

  it('wake their session when they end in the background', () => {
    const note = '<task-notification>\n<task-id>aaa1</task-id>\n</task-notification>'
    const main = chat()
      .user('Go')
      .assistant('m1', [task('t1', 'x')])
      .result('t1', 'started', {}, { toolUseResult: { agentId: 'aaa1', status: 'async_launched' } })
      .says('m2', 'Started')
      .user(note)
      .says('m3', 'It is done')
    const [root, child] = read(session(main, { agents: [agent('aaa1', agentFile('x'))] }))
    expect(dataOf(root!, 'user/message')[1]?.source).toEqual({ kind: 'settlement', from: child?.header.id })
    const fold = new Fold(UNITS, root!.header)
    for (const event of root!.events) fold.apply(event)
    expect(fold.valueOf('outcome')).toEqual({ kind: 'completed' })
  })
})

describe('hostile files', () => {
  it('cannot make an id that leaves its place (P117)', () => {
    for (const sessionId of ['../../x', 'a/b', 'CON', 'x'.repeat(300), 'a\0b', '', '..', 'ÄÖ']) {
      const main = chat().user('Go').says('m', 'x')
      const agents = ['../../etc', '', 'y'.repeat(400), 'a b'].map(id =>
        agent(id, new TranscriptBuilder({ isSidechain: true }).user('x')),
      )
      read(session(main, { sessionId, agents }))
      read(session(null, { sessionId, agents }))
    }
  })

  it('with two names that look alike give two sessions', () => {
    const id = (sessionId: string) =>
      readClaudeHistory(session(chat().user('Go'), { sessionId }))[0]?.header.id
    expect(id('a/b')).not.toBe(id('a\\b'))
  })

  it('never break a promise, whatever their lines say', () => {
    const key = fc.constantFrom('u1', 'u2', 'u3', 'u4', 'u5')
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }).map(one => one.toWellFormed()),
      fc.constantFrom(
        '[Request interrupted by user]',
        '<command-name>/x</command-name>',
        '<task-notification>',
        'Go',
      ),
    )
    const json: fc.Arbitrary<JsonValue> = fc
      .jsonValue({ maxDepth: 2 })
      .map(value => JSON.parse(JSON.stringify(value)))
    const junk = fc.oneof(text, json)
    const block = fc.oneof(
      junk,
      fc.record(
        {
          type: fc.constantFrom('text', 'thinking', 'tool_use', 'tool_result', 'image', 'x'),
          text: junk,
          thinking: junk,
          id: key,
          tool_use_id: key,
          name: fc.constantFrom('Task', 'Agent', 'Edit', 'TodoWrite'),
          input: junk,
          content: junk,
          source: junk,
          is_error: fc.boolean(),
        },
        { requiredKeys: ['type'] },
      ),
    )
    const line = fc.record(
      {
        type: fc.oneof(fc.constantFrom('user', 'assistant', 'system', 'attachment', 'summary'), junk),
        subtype: fc.constantFrom('compact_boundary', 'api_error', 'turn_duration'),
        uuid: fc.oneof(key, junk),
        parentUuid: fc.oneof(key, fc.constant(null)),
        timestamp: fc.oneof(fc.constant('2026-01-05T09:00:00Z'), junk),
        isSidechain: fc.boolean(),
        isMeta: fc.boolean(),
        isCompactSummary: fc.boolean(),
        cwd: junk,
        toolUseResult: fc.oneof(junk, fc.record({ agentId: key })),
        attachment: fc.oneof(junk, fc.record({ type: fc.constant('queued_command'), prompt: junk })),
        message: fc.oneof(
          junk,
          fc.record(
            {
              id: key,
              model: fc.oneof(fc.constant('m'), junk),
              usage: junk,
              content: fc.oneof(junk, fc.array(block, { maxLength: 3 })),
            },
            { requiredKeys: ['content'] },
          ),
        ),
      },
      { requiredKeys: ['type'] },
    )
    const lines = fc
      .array(line, { maxLength: 12 })
      .map(values => values.map((value, index) => toLine(value as never, index + 1)))
    fc.assert(
      fc.property(lines, fc.array(lines, { maxLength: 2 }), (main, others) => {
        const agents = others.map((own, index) => ({ ...agent(`u${index + 1}`, chat()), lines: own }))
        expect(
          brokenPromises(
            readClaudeHistory({ ...session(null), main: { lines: main, warnings: [] }, agents }),
          ),
        ).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})

import { describe, expect, it } from 'vitest'
import { MAX_IMAGE_BYTES } from './content-blocks.ts'
import { SESSION, session } from './fixtures/lines.ts'
import { chat, dataOf, endsOf, only, read, typesOf } from './fixtures/read.ts'

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
      { type: 'reasoning', text: 'Hm', providerMetadata: { anthropic: { signature: 'sig' } } },
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

  it('is interrupted where its last call is lost, not where the model went on without it', () => {
    const lost = only(chat().user('Go').calls('m1', 't1', 'StructuredOutput'))
    expect(endsOf(lost)).toEqual([{ kind: 'interrupted' }])
    const on = only(chat().user('Go').calls('m1', 't1', 'Bash').says('m2', 'Never mind'))
    expect(endsOf(on)).toEqual([{ kind: 'completed' }])
    expect(dataOf(on, 'tool/result')[0]?.code).toBe('TOOL_OUTCOME_UNKNOWN')
  })

  it('takes the word of the tool for the end of a turn', () => {
    const work = () => chat().user('Go').calls('m1', 't1', 'Bash').result('t1')
    expect(endsOf(only(work().user('Next').says('m2', 'Ok')))[0]).toEqual({ kind: 'interrupted' })
    const settled = only(work().chained('system', { subtype: 'turn_duration' }).user('Next').says('m2', 'Ok'))
    expect(endsOf(settled)[0]).toEqual({ kind: 'completed' })
  })

  it('reads word from an agent on the way while it is busy', () => {
    const note = '<task-notification><task-id>a</task-id></task-notification>'
    const root = only(chat().user('Go').calls('m1', 't1', 'Bash').result('t1').user(note).says('m2', 'Both'))
    expect(dataOf(root, 'turn/start')).toHaveLength(1)
    expect(endsOf(root)).toEqual([{ kind: 'completed' }])
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

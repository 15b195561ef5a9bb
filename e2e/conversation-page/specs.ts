import type { NewEvent } from '#shared/session/events.ts'
import { mockSpecs } from '../../renderer/gallery/fixtures.ts'
import type { ActorSpec } from '../../renderer/gallery/world.ts'

const at = { turn: 1, step: 1 }
const said = (id: string, text: string): NewEvent => ({
  type: 'user/message',
  data: { id, source: { kind: 'person' }, content: [{ type: 'text', text }] },
})
const answered = (id: string, text: string): NewEvent => ({
  type: 'assistant/message',
  data: { id, ...at, content: [{ type: 'text', text }], usage: null, model: null },
})

/** Messages of very different heights. */
export function tallLog(count: number): NewEvent[] {
  return Array.from({ length: count }, (_, index) => [
    said(`q${index}`, `Question ${index}`),
    answered(`a${index}`, `Answer ${index}. ${'More words to wrap over lines. '.repeat((index * 7) % 23)}`),
  ]).flat()
}

const HOSTILE = [
  '<img src="http://evil.example/x.png" onerror="window.pwned=1">',
  '<svg onload="window.pwned=1"></svg>',
  '<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>',
  '<script>window.pwned=1</script>',
  '![tracker](http://evil.example/pixel.png)',
  '[js](javascript:alert(1)) [data](data:text/html,x) [file](file:///etc/passwd) [code](vscode://x) [ok](https://example.org/a)',
  '[https://bank.example](https://evil.example/login)',
  '<style>body{display:none}</style>',
].join('\n\n')

const RICH = `# A heading

Some *emphasis*, **strong words**, \`code\` and a [link](https://example.org/docs).

- one
- two
  - nested

1. first
2. second

- [x] done
- [ ] open

> A quote.

| Corpus | Two passes | One pass |
|---|--:|--:|
| Deep nesting | 48.2 ms | 30.9 ms |
| Long chains | 22.7 ms | 15.1 ms |

שלום עולם, זה טקסט בעברית עם \`code/path.ts\` באמצע.

\`\`\`ts
// A comment
export function sum(a: number, b: number): number {
  const text = 'hello'
  return a + b
}
\`\`\`

![a picture](https://images.example/cat.png)
`

const SHELL = `\u001b[32m✓\u001b[0m passed\n\u001b[1;31merror\u001b[0m: expected \`;\`\n\u001b]0;title\u0007\u001b[33mwarning\u001b[0m: unused\n10%\r50%\r100%\n`

function called(callId: string, name: string, input: Record<string, string>, result: object): NewEvent[] {
  const call = { ...at, callId, name }
  const data = { ...call, status: 'ok' as const, content: [], ...result }
  return [
    { type: 'tool/call', data: { ...call, input } },
    { type: 'tool/result', data },
  ]
}

/** Every kind of row that the mock's screen does not show. */
function everyRow(): NewEvent[] {
  const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] })
  return [
    { type: 'import/source', data: { tool: 'Claude Code', path: '/x', sourceId: 's' } },
    { type: 'import/raw', data: { lineType: 'progress', line: 1, value: null } },
    { type: 'import/raw', data: { lineType: 'progress', line: 2, value: null } },
    said('c', '<command-name>/review</command-name><command-args>src/parse</command-args>'),
    { type: 'turn/start', data: { turn: 1 } },
    { type: 'step/start', data: at },
    {
      type: 'assistant/message',
      data: {
        id: 'think',
        ...at,
        content: [
          { type: 'reasoning', text: 'Section 3 still describes the lookahead token.' },
          { type: 'text', text: RICH },
        ],
        usage: null,
        model: null,
      },
    },
    ...called(
      's1',
      'shell',
      { command: 'cargo test' },
      { ...text(SHELL), durationMs: 96_400, summary: '6 benchmarks' },
    ),
    ...called(
      's2',
      'shell',
      { command: 'seq 4000' },
      { ...text(Array.from({ length: 4000 }, (_, n) => `line ${n}`).join('\n')), durationMs: 300 },
    ),
    ...called('s3', 'shell', { command: 'cat a.out' }, { ...text('\u0000ELF\u0001\u0002'), durationMs: 30 }),
    ...called(
      's4',
      'shell',
      { command: 'false' },
      { ...text('boom'), status: 'error', code: 'CANCELLED', durationMs: 30 },
    ),
    ...called('s5', 'grep', { pattern: 'x', path: 'src' }, { ...text('src/a.ts:1: x'), summary: '1 match' }),
    {
      type: 'model/changed',
      data: { route: { provider: 'p', model: 'devstral-2', effort: 'low' }, by: 'person' },
    },
    {
      type: 'llm/retry',
      data: { attempt: 1, delayMs: 2000, code: 'MODEL_UNREACHABLE', message: 'The endpoint did not answer.' },
    },
    { type: 'compaction/summary', data: { fromSeq: 0, toSeq: 211, summary: 'The parser was **audited**.' } },
    { type: 'todo/nothing' as 'todo/write', data: { items: [] } },
    {
      type: 'turn/end',
      data: {
        turn: 1,
        reason: {
          kind: 'error',
          code: 'MODEL_UNREACHABLE',
          message: 'The endpoint did not answer within 30 s.',
          retryable: true,
        },
      },
    },
    { type: 'turn/start', data: { turn: 2 } },
    { type: 'turn/end', data: { turn: 2, reason: { kind: 'interrupted' } } },
  ]
}

export function pageSpecs(): readonly ActorSpec[] {
  return [
    ...mockSpecs(),
    { label: 'Tall', cwd: '/w', outcome: { kind: 'completed' }, events: tallLog(600) },
    { label: 'Short', cwd: '/w', outcome: { kind: 'completed' }, events: tallLog(2) },
    {
      label: 'Hostile',
      cwd: '/w',
      outcome: { kind: 'completed' },
      events: [said('h', HOSTILE), answered('x', HOSTILE)],
    },
    { label: 'Every row', cwd: '/w', outcome: { kind: 'interrupted' }, events: everyRow() },
  ]
}

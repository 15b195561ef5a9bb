import type { NewEvent } from '#shared/session/events.ts'
import { fixtureId } from './fixture-ids.ts'

const route = { provider: 'ollama', model: 'qwen3-coder', effort: 'high' }
const usage = { input: 9000, output: 800, costUsd: 0.01 }
let count = 0

const next = (prefix: string) => `${prefix}-${++count}`

function person(text: string): NewEvent {
  return {
    type: 'user/message',
    data: { id: next('m'), source: { kind: 'person' }, content: [{ type: 'text', text }] },
  }
}

function parent(text: string): NewEvent {
  return {
    type: 'user/message',
    data: { id: next('m'), source: { kind: 'parent' }, content: [{ type: 'text', text }] },
  }
}

interface Call {
  readonly name: string
  readonly input: Record<string, string>
  readonly output?: string
  readonly summary?: string
  readonly durationMs?: number
  readonly diff?: string
  readonly files?: string[]
  readonly childLabel?: string
}

/** What a model says, its calls, and what came back; `open` leaves the calls without a result. */
function step(
  turn: number,
  number: number,
  text: string | null,
  calls: readonly Call[] = [],
  open = false,
): NewEvent[] {
  const withIds = calls.map(call => ({ ...call, callId: next('call') }))
  return [
    { type: 'step/start', data: { turn, step: number } },
    {
      type: 'assistant/message',
      data: {
        id: next('m'),
        turn,
        step: number,
        usage,
        model: route,
        content: [
          ...(text === null ? [] : [{ type: 'text' as const, text }]),
          ...withIds.map(({ callId, name, input }) => ({ type: 'tool-call' as const, callId, name, input })),
        ],
      },
    },
    ...withIds.flatMap(
      ({ callId, name, input, output, summary, durationMs, diff, files, childLabel }): NewEvent[] => [
        {
          type: 'tool/call',
          data: {
            turn,
            step: number,
            callId,
            name,
            input,
            ...(childLabel !== undefined && { childId: fixtureId(childLabel), background: true }),
          },
        },
        ...(open
          ? []
          : [
              {
                type: 'tool/result' as const,
                data: {
                  turn,
                  step: number,
                  callId,
                  name,
                  status: 'ok' as const,
                  content: [{ type: 'text' as const, text: output ?? 'ok' }],
                  ...(summary !== undefined && { summary }),
                  ...(durationMs !== undefined && { durationMs }),
                  ...(diff !== undefined && { diff }),
                  ...(files !== undefined && { files }),
                },
              },
            ]),
      ],
    ),
    ...(open ? [] : [{ type: 'step/end' as const, data: { turn, step: number } }]),
  ]
}

const begin = (turn: number): NewEvent => ({ type: 'turn/start', data: { turn } })
const end = (turn: number): NewEvent => ({ type: 'turn/end', data: { turn, reason: { kind: 'completed' } } })

export function shortLog(question: string, answer: string | null): NewEvent[] {
  return [
    begin(1),
    person(question),
    ...step(1, 1, answer ?? 'I will look.'),
    ...(answer === null ? [] : [end(1)]),
  ]
}

export function refactorLog(): NewEvent[] {
  const diff = [
    '--- a/src/parse/power.rs',
    '+++ b/src/parse/power.rs',
    '@@ -22,2 +22,3 @@',
    '-    Plus | Minus => 9,',
    '-    Star | Slash => 11,',
    '+    Plus | Minus => Some((9, 10)),',
    '+    Star | Slash => Some((11, 12)),',
    '+    _ => None,',
  ].join('\n')
  const audit = `${fixtureId('/Refactor the parser')}`
  return [
    begin(1),
    person(
      'Make the expression parser one pass. Keep every error message byte for byte, and prove it with the fixtures and a benchmark.',
    ),
    ...step(1, 1, null, [
      { name: 'read', input: { path: 'src/parse/expr.rs' }, summary: '412 lines', durationMs: 90 },
      { name: 'grep', input: { pattern: 'peek_op' }, summary: '9 matches in 4 files', durationMs: 210 },
      {
        name: 'shell',
        input: { command: 'cargo test -p quill-parse' },
        output: 'test result: ok. 118 passed',
        summary: '118 passed',
        durationMs: 14_200,
      },
    ]),
    ...step(
      1,
      2,
      [
        'The second scan comes from `peek_op`: it builds a token only to read its power. A table of powers lets one loop decide, and the rest splits into two children.',
        '```rust\nwhile let Some((op, right)) = self.infix(min_power) {\n    self.bump();\n    left = Expr::binary(op, left, self.expr(right)?);\n}\n```',
      ].join('\n\n'),
      [
        {
          name: 'edit',
          input: { path: 'src/parse/power.rs' },
          durationMs: 110,
          diff,
          files: ['src/parse/power.rs'],
          summary: '+3 −2',
        },
      ],
    ),
    ...step(1, 3, null, [
      {
        name: 'delegate',
        input: {
          description: 'Rewrite in one pass',
          prompt: 'Rewrite the expression parser so that it makes one pass.',
          mode: 'continuable',
        },
        childLabel: `${audit}/Rewrite in one pass`,
        output: 'Started.',
      },
      {
        name: 'delegate',
        input: { description: 'Benchmark the lexer', prompt: 'Compare the one-pass lexer with the old one.' },
        childLabel: `${audit}/Benchmark the lexer`,
        output: 'Started.',
      },
    ]),
    end(1),
    {
      type: 'todo/write',
      data: {
        items: [
          { content: 'Table of powers', status: 'completed' },
          { content: 'One pass over expressions', status: 'in_progress' },
          { content: 'Numbers into CHANGELOG.md', status: 'pending' },
        ],
      },
    },
  ]
}

export function rewriteLog(): NewEvent[] {
  return [
    begin(1),
    parent('Rewrite the expression parser so that it makes one pass.'),
    ...step(1, 1, 'I start with the table of powers.', [
      { name: 'read', input: { path: 'src/parse/expr.rs' }, summary: '412 lines' },
    ]),
    ...step(1, 2, null, [{ name: 'edit', input: { path: 'src/parse/expr.rs' } }], true),
  ]
}

export function recoveryLog(): NewEvent[] {
  return [
    begin(1),
    parent('Check that error recovery still works.'),
    ...step(1, 1, 'The fixtures pass. I want to fuzz it for two minutes.'),
    {
      type: 'approval/asked',
      data: {
        turn: 1,
        step: 2,
        callId: 'call-fuzz',
        approvalId: 'ask-fuzz',
        name: 'shell',
        toolClass: 'shell',
        input: { command: 'cargo fuzz run expr -- -max_total_time=120' },
        pattern: 'shell: cargo fuzz',
      },
    },
  ]
}

export function benchmarkLog(): NewEvent[] {
  const table = [
    '| Corpus | Two passes | One pass | Change |',
    '|---|--:|--:|--:|',
    '| Deep nesting | 48.2 ms | 30.9 ms | −36% |',
    '| Long chains | 22.7 ms | 15.1 ms | −33% |',
  ].join('\n')
  return [
    begin(1),
    parent('Compare the one-pass lexer with the old one on the fixtures.'),
    ...step(1, 1, null, [
      {
        name: 'shell',
        input: { command: 'cargo bench --bench lexer' },
        summary: '6 benchmarks',
        durationMs: 96_400,
      },
    ]),
    ...step(1, 2, `One pass is 31% faster on 4.1 MB of fixtures, no regressions.\n\n${table}`),
    end(1),
  ]
}

export function grammarLog(): NewEvent[] {
  return [
    begin(1),
    parent('Bring docs/grammar.md in line with the one-pass parser. Leave the diagrams as they are.'),
    ...step(
      1,
      1,
      'Section 3 still describes the lookahead token. I will rewrite 3.2 around the table of powers and keep the diagrams.',
      [
        { name: 'read', input: { path: 'docs/grammar.md' }, summary: '288 lines', durationMs: 80 },
        { name: 'edit', input: { path: 'docs/grammar.md' }, summary: '+14 −22', durationMs: 120 },
      ],
    ),
    { type: 'turn/end', data: { turn: 1, reason: { kind: 'interrupted' } } },
  ]
}

import type { Outcome } from '#shared/session/outcome.ts'
import { benchmarkLog, grammarLog, recoveryLog, refactorLog, rewriteLog, shortLog } from './fixture-logs.ts'
import type { ActorSpec } from './world.ts'

const running: Outcome = { kind: 'running' }
const completed: Outcome = { kind: 'completed' }
const asks: Outcome = { kind: 'waiting', on: 'approval' }
const forChildren: Outcome = { kind: 'waiting', on: 'children' }
const failed: Outcome = {
  kind: 'failed',
  code: 'MODEL_UNREACHABLE',
  message: 'The endpoint did not answer within 30 s.',
  retryable: true,
}

const QUILL = '/home/ada/code/quill'
const ORCHARD = '/home/ada/code/orchard-api'
const HOUR = 3600
const DAY = 24 * HOUR

/** The tree of the mock, and every state a row can be in. */
const refactor: ActorSpec = {
  label: 'Refactor the parser',
  outcome: forChildren,
  running: true,
  seconds: 24 * 60 + 10,
  tokens: 61_000,
  costUsd: 0.24,
  cwd: QUILL,
  preset: 'Lead',
  events: refactorLog(),
  files: ['src/parse/power.rs', 'src/parse/mod.rs'],
  children: [
    {
      label: 'Audit the parser',
      mode: 'continuable',
      outcome: completed,
      seconds: 402,
      tokens: 88_000,
      costUsd: 0.31,
      events: shortLog(
        'Audit src/parse and list every place that scans twice.',
        'Two places scan twice: `peek_op` and `skip_trivia`. Only the first is on the hot path.',
      ),
    },
    {
      label: 'Rewrite in one pass',
      mode: 'continuable',
      outcome: running,
      running: true,
      seconds: 511,
      tokens: 142_000,
      costUsd: 0.62,
      doing: ['tool', 'Edit', 'src/parse/expr.rs'],
      events: rewriteLog(),
      files: ['src/parse/expr.rs'],
      children: [
        {
          label: 'Check error recovery',
          mode: 'continuable',
          outcome: asks,
          running: true,
          seconds: 346,
          tokens: 37_000,
          costUsd: 0.15,
          doing: ['asking', 'Run', 'cargo fuzz run expr'],
          events: recoveryLog(),
        },
        {
          label: null,
          id: '0199c2f0-5a11-7c3e-a111-5bd09f3c21ab',
          outcome: failed,
          seconds: 12,
          tokens: 4000,
          costUsd: 0.02,
          events: shortLog('Count the fixtures.', null),
        },
        {
          label: 'Map spans to tokens',
          outcome: running,
          running: true,
          seconds: 95,
          tokens: 28_000,
          costUsd: 0.11,
          doing: ['tool', 'Search', 'Span::join'],
          events: shortLog('Map every span to the token it came from.', null),
        },
      ],
    },
    {
      label: 'Benchmark the lexer',
      outcome: completed,
      seconds: 188,
      tokens: 41_000,
      costUsd: 0.17,
      events: benchmarkLog(),
    },
    {
      label: 'Update grammar docs',
      mode: 'continuable',
      outcome: { kind: 'interrupted' },
      seconds: 156,
      tokens: 30_000,
      costUsd: 0.12,
      events: grammarLog(),
    },
    {
      label: 'Port fixture tests',
      mode: 'continuable',
      outcome: { kind: 'cancelled', by: 'user' },
      seconds: 78,
      tokens: 17_000,
      costUsd: 0.06,
      events: shortLog('Port the fixture tests.', 'I moved the first twelve.'),
    },
    { label: 'Fuzz the new parser', outcome: { kind: 'queued' }, events: [] },
    {
      label: null,
      id: '019c41d7-6b1f-7c0e-9a57-0d2ec41d70e2',
      damage: { reason: 'corrupt', detail: { cause: 'descriptor-missing' } },
      events: shortLog('Look at the fixtures.', 'There are 118.'),
    },
  ],
}

/** Rows that only a few have: warnings, limits, the three other ways in which a record cannot be read. */
const oddities: ActorSpec = {
  label: 'Trim the CLI help text',
  outcome: completed,
  seconds: 240,
  tokens: 33_000,
  costUsd: 0.1,
  agoSeconds: 2 * HOUR,
  cwd: QUILL,
  children: [
    {
      label: 'Shorten the flags',
      mode: 'continuable',
      outcome: { kind: 'limited' },
      seconds: 61,
      tokens: 90_000,
    },
    {
      label: 'Check the man page',
      mode: 'continuable',
      outcome: completed,
      seconds: 33,
      tokens: 9000,
      warnings: ['folder-missing'],
    },
    {
      label: 'A label that is far too long for the width of any sidebar, to be cut at its end',
      outcome: completed,
      seconds: 5,
      tokens: 940,
    },
    { label: 'قارن ملفات التهيئة', outcome: completed, seconds: 14, tokens: 2100 },
    {
      label: 'Unreachable child',
      damage: { reason: 'unavailable', detail: { cause: 'read-failed', code: 'EIO' } },
    },
    { label: null, damage: { reason: 'unavailable', detail: { cause: 'log-gap' } } },
    { label: null, damage: { reason: 'corrupt', detail: { cause: 'descriptor-version' } } },
  ],
}

/** A thousand children, as a sweep makes them. */
function sweep(): ActorSpec {
  const outcomes = (index: number): Pick<ActorSpec, 'outcome' | 'running' | 'doing'> => {
    if (index === 411 || index % 125 === 7)
      return { outcome: running, running: true, doing: ['tool', 'Read', `corpus/${index}.txt`] }
    if (index % 91 === 5) return { outcome: failed }
    if (index > 880) return { outcome: { kind: 'queued' } }
    return { outcome: completed }
  }
  return {
    label: 'Sweep the corpus',
    outcome: forChildren,
    running: true,
    seconds: 18 * 60 + 40,
    tokens: 24_000,
    costUsd: 0.09,
    cwd: '/home/ada/code/corpus',
    children: Array.from({ length: 1000 }, (_, index) => ({
      label: `Parse corpus ${String(index).padStart(4, '0')}`,
      mode: index % 2 === 0 ? ('one-shot' as const) : ('continuable' as const),
      seconds: index > 880 ? 0 : 9 + ((index * 37) % 60),
      tokens: index > 880 ? 0 : 2000 + ((index * 411) % 7000),
      ...outcomes(index),
    })),
  }
}

export function mockSpecs(): readonly ActorSpec[] {
  return [
    refactor,
    {
      label: 'Draft the release notes',
      outcome: asks,
      running: true,
      seconds: 660,
      tokens: 0,
      cwd: QUILL,
      doing: ['asking', 'Run', 'git log 0.9.1..'],
      events: recoveryLog(),
    },
    {
      label: 'Speed up cold start',
      outcome: running,
      running: true,
      seconds: 112,
      tokens: 12_000,
      costUsd: 0.05,
      cwd: QUILL,
      doing: ['tool', 'Run', 'node --cpu-prof start.js'],
      events: shortLog('Find out why a cold start takes two seconds.', null),
    },
    oddities,
    {
      label: 'Why is CI slow on Windows',
      outcome: null,
      tokens: 20_000,
      agoSeconds: 5 * HOUR,
      cwd: QUILL,
      events: shortLog('Why is CI slow on Windows?', 'Most of the time goes into unpacking the cache.'),
    },
    {
      label: 'Drop the legacy AST',
      outcome: failed,
      seconds: 400,
      tokens: 52_000,
      agoSeconds: DAY + HOUR,
      cwd: QUILL,
      events: shortLog('Drop the legacy AST.', null),
    },
    {
      label: 'Paginate the audit log',
      outcome: completed,
      seconds: 900,
      tokens: 74_000,
      agoSeconds: 3 * DAY + HOUR,
      cwd: ORCHARD,
      children: [{ label: 'Review the cursor', outcome: completed, seconds: 60, tokens: 8000 }],
    },
    {
      label: 'Move to a new mailer',
      outcome: completed,
      seconds: 90,
      tokens: 11_000,
      agoSeconds: 40 * DAY,
      cwd: ORCHARD,
      archived: true,
    },
  ]
}

export function sweepSpecs(): readonly ActorSpec[] {
  return [sweep(), refactor]
}

/** A chain of children, each the child of the one before. */
export function deepSpecs(levels: number): readonly ActorSpec[] {
  let spec: ActorSpec = { label: `Level ${levels}`, outcome: completed, seconds: 3, tokens: 100 }
  for (let level = levels - 1; level > 0; level -= 1) {
    spec = {
      label: `Level ${level}`,
      mode: 'continuable',
      outcome: completed,
      seconds: 3,
      tokens: 100,
      children: [spec],
    }
  }
  return [
    { label: 'A deep chain', outcome: completed, seconds: 3, tokens: 100, cwd: QUILL, children: [spec] },
  ]
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../json-fields.ts'
import { brokenPromises } from './fixtures/check-imported.ts'
import { agent, session, TranscriptBuilder } from './fixtures/lines.ts'
import { chat, read } from './fixtures/read.ts'
import { toLine } from './line.ts'
import { readClaudeHistory } from './read-history.ts'

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

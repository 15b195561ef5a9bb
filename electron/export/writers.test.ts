import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import { toSessionId } from '#shared/session/ids.ts'
import type { ExportWriter, LogItem, Section } from './export-shapes.ts'
import { createHtmlWriter } from './html-writer.ts'
import { createMarkdownWriter } from './markdown-writer.ts'

const id = toSessionId('s1')
const header: SessionHeader = { version: 1, id, createdAt: 0, cwd: '/work' }

function section(label: string): Section {
  return { id, number: 1, parentId: null, depth: 0, label, mode: 'session', state: 'completed' }
}

/** One session in which every text that can hold something holds `text`. */
function logOf(text: string): LogItem[] {
  const data: [string, object][] = [
    [
      'user/message',
      {
        id: 'm1',
        source: { kind: 'person' },
        content: [
          { type: 'text', text },
          { type: 'image', mediaType: text, data: text },
        ],
      },
    ],
    [
      'assistant/message',
      {
        id: 'm2',
        turn: 1,
        step: 1,
        usage: null,
        model: null,
        content: [
          { type: 'reasoning', text },
          { type: 'text', text },
          { type: 'tool-call', callId: 'c1', name: text, input: { [text]: text } },
        ],
      },
    ],
    ['tool/call', { turn: 1, step: 1, callId: 'c1', name: text, input: { command: text } }],
    [
      'tool/result',
      {
        turn: 1,
        step: 1,
        callId: 'c1',
        name: text,
        status: 'error',
        code: text,
        content: [{ type: 'text', text }],
        summary: text,
        diff: text,
      },
    ],
    ['compaction/summary', { fromSeq: 0, toSeq: 1, summary: text }],
    ['llm/retry', { attempt: 1, delayMs: 1, code: text, message: text }],
    ['subagent/report', { childId: id, label: text, output: text }],
    ['import/raw', { lineType: text, line: 1, value: text }],
    [text, { text }],
    ['turn/end', { turn: 1, reason: { kind: 'error', code: text, message: text, retryable: false } }],
  ]
  const events = data.map(([type, value], seq): StoredEvent => ({ seq, time: 0, type, data: value }))
  return [
    ...events.map((event): LogItem => ({ kind: 'event', event })),
    { kind: 'problem', sentence: text },
    { kind: 'output', id: 'c1', encoding: 'text', text },
    { kind: 'row', seq: 1, type: text, text },
  ]
}

function written(writer: ExportWriter, text: string): string {
  const head = {
    sections: [section(text), { ...section(text), number: 2, depth: 1 }],
    isTree: true,
    isRedacted: true,
    exportedAt: 0,
    version: '1',
  }
  return [
    writer.begin(head),
    writer.open(section(text), { ...header, cwd: text }),
    ...logOf(text).map(item => writer.item(item)),
    writer.close(),
    writer.end({ sessions: 1, events: 10 }),
  ].join('')
}

/** Every tag of a page, letter by letter: where a text could begin one, end one or get into one, they differ. */
function tagsOf(html: string): string[] {
  return html.match(/<[^>]*>?/g) ?? []
}

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '<script>alert(1)</script>',
        '</pre>',
        '</details>',
        '</section></body>',
        '"',
        "'",
        '>',
        '<',
        '&',
        '&lt;',
        '<!--',
        '-->',
        ']]>',
        '<img src=x onerror=alert(1)>',
        '" onmouseover="x',
        'javascript:alert(1)',
        '</style>',
        '</title>',
        '<svg/onload=1>',
        '\u0000',
        '`',
        '\u202e',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  // A blank text makes no element at all, and a fence makes another one: neither is what this is about.
  .map(parts => `x${parts.join('').replaceAll(/[`~]{3}|\n/g, ' ')}x`)

describe('an exported page', () => {
  it('has the same tags whatever the log says', () => {
    const expected = tagsOf(written(createHtmlWriter(), 'plain'))

    fc.assert(
      fc.property(hostile, text => {
        expect(tagsOf(written(createHtmlWriter(), text))).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  })

  it('holds no script, no handler and no address to fetch from', () => {
    const tags = tagsOf(written(createHtmlWriter(), '<script src="https://example.org/x.js"></script>')).join(
      '\n',
    )

    expect(tags).not.toMatch(/<(?:script|link|iframe|img)| on\w+=| src=/)
    expect(tags).toContain(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; `)
  })

  it('shows code of a message as code, and an image only when it is one', () => {
    const png = 'iVBORw0KGgo='
    const content = [
      { type: 'text', text: 'Look:\n```ts\nconst a = "<b>"\n```\nDone.' },
      { type: 'image', mediaType: 'image/png', data: png },
      { type: 'image', mediaType: 'image/svg+xml', data: png },
      { type: 'image', mediaType: 'image/png', data: '" onerror="x' },
    ]
    const writer = createHtmlWriter()
    writer.open(section('One'), header)
    const event = {
      seq: 0,
      time: 0,
      type: 'user/message',
      data: { id: 'm', source: { kind: 'person' }, content },
    }

    const html = writer.item({ kind: 'event', event })

    expect(html).toContain('<pre>const a = &quot;&lt;b&gt;&quot;\n</pre>')
    expect(html.match(/<img[^>]*>/g)).toEqual([`<img alt="Image" src="data:image/png;base64,${png}">`])
  })
})

describe('an exported Markdown file', () => {
  const fences = (text: string) => text.split('\n').filter(line => /^`{3,}(?:json|text|diff)?$/.test(line))

  it('ends no fence, fold or quotation early', () => {
    const text = 'one\n```\n````text\n</details>\n# Not a heading\n<b>'

    const lines = written(createMarkdownWriter(), text).split('\n')

    expect(fences(lines.join('\n')).length % 2).toBe(0)
    const outside: string[] = []
    let fence: string | null = null
    for (const line of lines) {
      const ticks = /^`{3,}/.exec(line)?.[0] ?? null
      if (fence === null && ticks !== null) fence = ticks
      else if (fence !== null && line === fence) fence = null
      else if (fence === null) outside.push(line)
    }
    expect(fence).toBeNull()
    expect(outside.filter(line => /^# /.test(line))).toHaveLength(1)
    const depth = outside.reduce((open, line) => {
      const next = open + (line.startsWith('<details>') ? 1 : 0) - (line === '</details>' ? 1 : 0)
      expect(next).toBeGreaterThanOrEqual(0)
      return next
    }, 0)
    expect(depth).toBe(0)
  })

  it('moves no cursor of a terminal that shows it', () => {
    const text = written(createMarkdownWriter(), 'a\u001b[2J\u001b]0;owned\u0007\u202eb')

    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
  })
})

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createProviderModel } from '../model/provider-model.ts'
import { defineTool } from '../tool/tool.ts'
import { LiveMessage, type TextPiece } from './live-message.ts'
import { runStep } from './run-step.ts'

const TEXT = '読む 🌳 é → “Ω” 👩‍👩‍👧 \u0000 end'
const ARGS = { path: 'ディレクトリ/🌳.txt', content: '木\n𝒳 ñ' }

const tool = defineTool({
  name: 'write',
  description: 'Writes.',
  inputSchema: z.object({ path: z.string(), content: z.string() }),
  toolClass: 'write',
  execute: async () => ({ status: 'ok', content: [] }),
})

/** A provider whose answer arrives byte by byte. */
function byteByByte(lines: readonly object[]): typeof fetch {
  const text = lines.map(
    line => `${'type' in line ? `event: ${line.type}\n` : ''}data: ${JSON.stringify(line)}\n\n`,
  )
  const bytes = new TextEncoder().encode(
    text.join('') + (lines.some(line => 'type' in line) ? '' : 'data: [DONE]\n\n'),
  )
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull: controller => {
      if (sent === bytes.length) controller.close()
      else controller.enqueue(bytes.slice(sent, ++sent))
    },
  })
  return async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

/** Cut in two without regard for characters: half of one may end a piece. */
const halves = (text: string) => [text.slice(0, 4), text.slice(4, 22), text.slice(22)]

const compatible = [
  ...halves(TEXT).map(content => ({ choices: [{ index: 0, delta: { content } }] })),
  {
    choices: [
      {
        index: 0,
        delta: {
          tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'write', arguments: '' } }],
        },
      },
    ],
  },
  ...halves(JSON.stringify(ARGS)).map(piece => ({
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: piece } }] } }],
  })),
  { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
].map(line => ({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', ...line }))

const anthropic = [
  {
    type: 'message_start',
    message: {
      id: 'x',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ...halves(TEXT).map(text => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text },
  })),
  { type: 'content_block_stop', index: 0 },
  {
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'tool_use', id: 'c1', name: 'write', input: {} },
  },
  ...halves(JSON.stringify(ARGS)).map(piece => ({
    type: 'content_block_delta',
    index: 1,
    delta: { type: 'input_json_delta', partial_json: piece },
  })),
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
]

describe.each([
  ['openai-compatible', compatible],
  ['anthropic', anthropic],
] as const)('an answer of %s that arrives byte by byte', (kind, lines) => {
  it('is the text and the arguments that were sent, to the last byte', async () => {
    const provider = {
      id: 'p',
      kind,
      label: 'P',
      baseUrl: 'http://127.0.0.1:9/base',
      official: false,
      models: ['m'],
      key: 'k',
    } as const
    const model = createProviderModel({ ...provider, keySource: 'keychain' }, 'm', byteByByte(lines))
    const pieces: TextPiece[] = []
    const at = { turn: 1, step: 1, model: { provider: 'p', model: 'm' } }
    const message = new LiveMessage('m', at, piece => pieces.push(piece))

    const end = await runStep({
      model,
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [tool],
      signal: new AbortController().signal,
      message,
      toCallId: id => id,
    })

    expect(end).toMatchObject({ kind: 'finished', calls: [{ callId: 'c1', name: 'write', input: ARGS }] })
    const [text, call] = message.content()
    expect(text).toMatchObject({ type: 'text', text: TEXT })
    expect(call).toMatchObject({ type: 'tool-call', input: ARGS })
    expect(pieces.map(piece => piece.text).join('')).toBe(TEXT)
  })
})

import { streamText, type ToolSet, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createScriptedModel, type ScriptedModel } from './scripted-model.ts'

const tools: ToolSet = { look: tool({ inputSchema: z.object({ path: z.string() }) }) }

async function partsOf(model: ScriptedModel, signal?: AbortSignal) {
  const result = streamText({
    model,
    instructions: 'Be brief.',
    messages: [{ role: 'user', content: 'Hello there' }],
    tools,
    maxRetries: 0,
    onError: () => undefined,
    ...(signal === undefined ? {} : { abortSignal: signal }),
  })
  const parts = []
  for await (const part of result.stream) parts.push(part)
  return parts
}

describe('scripted model', () => {
  it('plays text, reasoning and tool calls through streamText with usage', async () => {
    const model = createScriptedModel([
      { reasoning: 'Think.', text: 'Looking now.', calls: [{ name: 'look', input: { path: 'a.txt' } }] },
    ])

    const parts = await partsOf(model)

    const text = parts.flatMap(part => (part.type === 'text-delta' ? [part.text] : [])).join('')
    const call = parts.find(part => part.type === 'tool-call')
    const end = parts.find(part => part.type === 'finish-step')
    expect(text).toBe('Looking now.')
    expect(call).toMatchObject({ toolCallId: 'call-1', toolName: 'look', input: { path: 'a.txt' } })
    expect(end).toMatchObject({ finishReason: 'tool-calls' })
    expect(end?.type === 'finish-step' && (end.usage.inputTokens ?? 0) > 0).toBe(true)
  })

  it('keeps what it was asked', async () => {
    const model = createScriptedModel(['One.', 'Two.'])

    await partsOf(model)
    await partsOf(model)

    expect(model.requests.map(request => request.index)).toEqual([0, 1])
    expect(model.requests[1]).toMatchObject({
      system: 'Be brief.',
      lastUserText: 'Hello there',
      tools: ['look'],
    })
  })

  it('answers from a function of the request', async () => {
    const model = createScriptedModel(request => `You said: ${request.lastUserText}`)

    const parts = await partsOf(model)

    expect(parts.flatMap(part => (part.type === 'text-delta' ? [part.text] : [])).join('')).toBe(
      'You said: Hello there',
    )
  })

  it('stalls until it is aborted', async () => {
    const model = createScriptedModel([{ text: 'So far', stall: true }])
    const abort = new AbortController()
    setTimeout(() => abort.abort(), 30)

    const parts = await partsOf(model, abort.signal)

    expect(parts.flatMap(part => (part.type === 'text-delta' ? [part.text] : [])).join('')).toBe('So far')
    expect(parts.at(-1)?.type).toBe('abort')
  })

  it('fails before, while and instead of answering', async () => {
    const model = createScriptedModel([
      { reject: new Error('refused') },
      { text: 'Half', fail: new Error('broken') },
    ])

    const refused = await partsOf(model)
    const broken = partsOf(model)

    expect(refused.find(part => part.type === 'error')).toMatchObject({ error: { message: 'refused' } })
    await expect(broken).rejects.toThrow('broken')
    const beyond = await partsOf(model)
    expect(beyond.find(part => part.type === 'error')).toMatchObject({
      error: { message: 'the script has no step for request 3' },
    })
  })

  it('can cut characters in two, as a careless stream does', async () => {
    const model = createScriptedModel([{ text: '木🌳' }], { pieces: 'unit' })

    const deltas = (await partsOf(model)).flatMap(part => (part.type === 'text-delta' ? [part.text] : []))

    expect(deltas).toHaveLength(3)
    expect(deltas.join('')).toBe('木🌳')
  })
})

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LanguageModelV4, LanguageModelV4Content, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { jsonSchema, streamText, type ToolSet } from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { textOf } from '#shared/session/content.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { createBuiltInTools } from '../../tool/built-in-tools.ts'
import { parseInput } from '../../tool/tool.ts'
import { createToolOutput } from '../../tool/tool-output.ts'
import { describeModelError } from '../model-errors.ts'
import { createRehearsalModel } from './rehearsal-model.ts'
import { parseScript } from './script.ts'

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'espalier rehearsal '))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const tools = new Map(createBuiltInTools({ env: process.env }).map(tool => [tool.name, tool]))
const names = [...tools.keys(), 'delegate']
const offered = names.map(name => ({
  type: 'function' as const,
  name,
  inputSchema: { type: 'object' as const },
}))
const CHILD = 'You are an agent.\nYou are a delegated agent.\nFolder: x'
const ROOT = 'You are an agent.\nFolder: x'

interface Played {
  readonly prompt: LanguageModelV4Prompt
  readonly said: string[]
  readonly calls: { name: string; input: Record<string, unknown> }[]
  /** Background children that were started: label and prompt. */
  readonly started: { label: string; prompt: string; id: string }[]
}

/** The smallest loop there can be: real tools in a real folder, foreground children played, background ones only started. */
async function play(prompt: LanguageModelV4Prompt, decline: readonly string[] = []): Promise<Played> {
  const played: Played = { prompt: [...prompt], said: [], calls: [], started: [] }
  for (let step = 0; step < 30; step++) {
    // A model of its own for every request: nothing can be kept between them.
    const model: LanguageModelV4 = createRehearsalModel({ paceMs: 0 })
    const { content } = await model.doGenerate({ prompt: played.prompt, tools: offered })
    played.said.push(...content.flatMap(part => (part.type === 'text' ? [part.text] : [])))
    played.prompt.push({ role: 'assistant', content: content.map(toPromptPart) })
    const calls = content.flatMap(part => (part.type === 'tool-call' ? [part] : []))
    if (calls.length === 0) return played
    const results = []
    for (const call of calls) {
      const input = JSON.parse(call.input)
      played.calls.push({ name: call.toolName, input })
      const output = decline.includes(call.toolName)
        ? { type: 'error-text' as const, value: 'The person declined this call.' }
        : await answer(call.toolName, input, played, call.toolCallId)
      results.push({
        type: 'tool-result' as const,
        toolCallId: call.toolCallId,
        toolName: call.toolName,
        output,
      })
    }
    played.prompt.push({ role: 'tool', content: results })
  }
  throw new Error('the rehearsal does not end')
}

async function answer(name: string, input: Record<string, unknown>, played: Played, callId: string) {
  if (name === 'delegate') {
    if (input['background'] === true || input['mode'] === 'continuable') {
      const child = {
        label: String(input['description']),
        prompt: String(input['prompt']),
        id: `child-${callId}`,
      }
      played.started.push(child)
      return { type: 'text' as const, value: `Started agent ${child.id}.` }
    }
    const child = await play(opening(CHILD, String(input['prompt'])))
    return { type: 'text' as const, value: child.said.at(-1) ?? '' }
  }
  const tool = tools.get(name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  const parsed = parseInput(tool, input as never)
  if (!parsed.ok) throw new Error(`${name}: ${parsed.problem}`)
  const signal = new AbortController().signal
  const outcome = await tool.execute(parsed.input, {
    sessionId: toSessionId('s'),
    callId,
    cwd,
    signal,
    output: createToolOutput({ id: callId, keep: async () => {} }),
  })
  return {
    type: outcome.status === 'ok' ? ('text' as const) : ('error-text' as const),
    value: textOf(outcome.content),
  }
}

function toPromptPart(part: LanguageModelV4Content) {
  if (part.type === 'tool-call') {
    return {
      type: 'tool-call' as const,
      toolCallId: part.toolCallId,
      toolName: part.toolName,
      input: JSON.parse(part.input),
    }
  }
  if (part.type === 'text' || part.type === 'reasoning') return { type: part.type, text: part.text }
  throw new Error(part.type)
}

function opening(system: string, text: string): LanguageModelV4Prompt {
  return [{ role: 'system', content: system }, user(text)]
}
function user(text: string): LanguageModelV4Prompt[number] {
  return { role: 'user', content: [{ type: 'text', text }] }
}
const notice = (label: string, text: string) => user(`Agent "${label}" (0198) completed.\n\n${text}`)

async function garden() {
  await writeFile(join(cwd, 'README.md'), '# Walled garden\n\nA `south` wall | and trees.\n')
  await writeFile(join(cwd, 'notes.txt'), 'TODO: ask about the wall\n')
}

describe('the tour', () => {
  it('plans, looks around, delegates three parts and ends its turn to wait', async () => {
    await garden()

    const root = await play(opening(ROOT, 'Hello, what can you do?'))

    expect(root.calls.map(call => call.name)).toEqual([
      'todo',
      'glob',
      'delegate',
      'delegate',
      'delegate',
      'todo',
    ])
    expect(root.started.map(child => child.label)).toEqual(['Read the first pages', 'Count the parts'])
    expect(root.said[0]).toContain('rehearsal')
    expect(root.said[0]).toContain('“Hello, what can you do?”')
    expect(root.said.at(-1)).toContain('I still wait for “Read the first pages” and “Count the parts”')
  })

  it('lets children read what is really there', async () => {
    await garden()
    const root = await play(opening(ROOT, 'Hello'))

    const children = []
    for (const child of root.started) children.push(await play(opening(CHILD, child.prompt)))

    const [reader, counter] = children
    expect(reader?.calls[1]).toEqual({ name: 'read', input: { path: 'README.md', limit: 40 } })
    expect(reader?.said.at(-1)).toContain('`README.md`')
    expect(counter?.calls.map(call => call.name)).toEqual(['glob', 'shell'])
    expect(counter?.said.at(-1)).toContain('I counted 2 files below this folder, and the command ran')
  })

  it('goes on without a command that was declined', async () => {
    const played = await play(opening(CHILD, 'Rehearsal part: count the parts. Please.'), ['shell'])

    expect(played.said.at(-1)).toContain('The person declined this call.')
    expect(played.said.at(-1)).toContain('I go on without it')
  })

  it('sums up when the last child is back, whatever the order', async () => {
    await garden()
    const root = await play(opening(ROOT, 'Hello'))

    const first = await play([...root.prompt, notice('Count the parts', 'Counted.')])
    const second = await play([...first.prompt, notice('Read the first pages', 'A page | about `walls`.')])

    expect(first.said).toEqual([
      expect.stringContaining('“Count the parts” is back. I still wait for “Read the first pages”'),
    ])
    expect(second.calls.map(call => call.name)).toEqual(['todo'])
    expect(second.said.at(-1)).toContain("| Read the first pages | completed | A page \\| about 'walls'. |")
    expect(second.said.at(-1)).toContain('| Look for open ends | completed |')
  })

  it('takes results that arrive while it still works', async () => {
    const root = await play(opening(ROOT, 'Hello'))
    const afterDelegation = root.prompt.slice(
      0,
      root.prompt.findLastIndex(message => message.role === 'tool') - 1,
    )

    const played = await play([
      ...afterDelegation,
      notice('Count the parts', 'a'),
      notice('Read the first pages', 'b'),
    ])

    expect(played.said.at(-1)).toContain('All parts are back already')
  })

  it('copes with an empty folder', async () => {
    const root = await play(opening(ROOT, 'Hello'))
    const reader = await play(opening(CHILD, 'Rehearsal part: read the first pages.'))

    expect(root.said[1]).toContain('This folder is empty')
    expect(reader.calls.map(call => call.name)).toEqual(['glob'])
    expect(reader.said.at(-1)).toContain('This folder has no files')
  })

  it('answers a resumed child with another real call', async () => {
    await garden()
    const child = await play(opening(CHILD, 'Rehearsal part: read the first pages.'))

    const resumed = await play([...child.prompt, user('And what about the walled part?')])

    expect(resumed.calls).toEqual([
      { name: 'grep', input: { pattern: 'walled', literal: true, ignoreCase: true } },
    ])
    expect(resumed.said.at(-1)).toContain('README.md:1: # Walled garden')
  })

  it('recognises a child whose memory begins with its parent’s turns', async () => {
    const root = await play(opening(ROOT, 'Hello'))
    const [, ...inherited] = root.prompt

    const child = await play([
      { role: 'system', content: CHILD },
      ...inherited,
      user('Rehearsal part: look for open ends.'),
    ])

    expect(child.calls.map(call => call.name)).toEqual(['grep'])
  })

  it('plays any other child and any other message of a root', async () => {
    await garden()

    const child = await play(opening(CHILD, 'Write a poem'))
    const root = await play([...(await play(opening(ROOT, 'Hello'))).prompt, user('Thanks for nothing')])

    expect(child.calls.map(call => call.name)).toEqual(['glob', 'read'])
    expect(root.calls.map(call => call.name)).toEqual(['grep'])
  })

  it('uses only tools that are offered', async () => {
    const model = createRehearsalModel({ paceMs: 0 })
    const few = offered.filter(tool => tool.name === 'glob')

    const { content } = await model.doGenerate({ prompt: opening(ROOT, 'Hello'), tools: few })

    expect(content.flatMap(part => (part.type === 'tool-call' ? [part.toolName] : []))).toEqual(['glob'])
  })
})

describe('the garden wall', () => {
  it('delegates seven parts of every kind', async () => {
    const root = await play(opening(ROOT, 'Plan a garden wall'))

    expect(root.started.map(child => child.label)).toEqual([
      'Choose the trees',
      'Compare rootstocks',
      'Price the wire',
      'Order the wire',
      'Draw the layout',
      'Dig the footings',
    ])
    expect(root.said.at(-1)).toContain('| Survey the wall | completed | The wall stands well.')
  })

  it('writes and edits a real file', async () => {
    const child = await play(opening(CHILD, 'Choose the trees for the south and west side.'))

    expect(child.calls.map(call => call.name)).toEqual(['todo', 'write', 'edit', 'todo'])
    expect(await readFile(join(cwd, 'plan/trees.md'), 'utf8')).toContain('Morello')
  })

  it('fails for good and for now, and goes through when somebody writes again', async () => {
    const errors = []
    for (const task of ['Price the wire for two rows.', 'Order the wire.']) {
      errors.push(await play(opening(CHILD, task)).catch((error: unknown) => error))
    }
    const retried = await play([...opening(CHILD, 'Order the wire.'), user('Try again')])

    expect(errors.map(error => describeModelError(error, 'Rehearsal'))).toMatchObject([
      { code: 'MODEL_REFUSED', retryable: false },
      { code: 'MODEL_FAILED', retryable: true },
    ])
    expect(retried.said.at(-1)).toContain('On the second try')
  })

  it('draws until it is stopped', async () => {
    const abort = new AbortController()
    const model = createRehearsalModel({ paceMs: 0 })
    const { stream } = await model.doStream({
      prompt: opening(CHILD, 'Draw the layout.'),
      abortSignal: abort.signal,
    })
    setTimeout(() => abort.abort(new Error('stopped')), 50)

    const parts: string[] = []
    const reading = (async () => {
      for await (const part of stream) parts.push(part.type)
    })()

    await expect(reading).rejects.toThrow('stopped')
    expect(parts).not.toContain('finish')
  })

  it('digs in many small steps', async () => {
    const child = await play(opening(CHILD, 'Dig the footings step by step.'))

    expect(child.calls).toHaveLength(12)
    expect(child.said).toHaveLength(13)
  })
})

describe('rehearsal model', () => {
  it('streams through the SDK with usage at a human pace', async () => {
    const set: ToolSet = Object.fromEntries(
      names.map(name => [name, { inputSchema: jsonSchema({ type: 'object' }) }]),
    )
    const started = performance.now()

    const model = createRehearsalModel({ paceMs: 2 })
    const result = streamText({ model, instructions: ROOT, prompt: 'Hello', tools: set, maxRetries: 0 })
    const parts = []
    for await (const part of result.stream) parts.push(part)

    const deltas = parts.filter(part => part.type === 'text-delta')
    const usage = await result.usage
    expect(deltas.length).toBeGreaterThan(30)
    expect(performance.now() - started).toBeGreaterThan(deltas.length)
    expect(parts.some(part => part.type === 'reasoning-delta')).toBe(true)
    expect(usage.inputTokens).toBeGreaterThan(10)
    expect(usage.outputTokens).toBeGreaterThan(usage.outputTokenDetails.reasoningTokens ?? 0)
  })

  it('fills in everything a script asks for', async () => {
    await garden()
    const texts = ['Hello', 'Plan a garden wall']

    for (const text of texts) {
      const root = await play(opening(ROOT, text))
      for (const line of [...root.said, ...root.calls.map(call => JSON.stringify(call))])
        expect(line).not.toContain('{{')
    }
  })

  it('names a bad script and what is wrong with it', async () => {
    expect(() => parseScript('x.json', '{')).toThrow('The rehearsal script x.json is no JSON')
    const part = { name: 'a', who: 'root', first: [{ text: 'a', calls: [{ tool: 'glob', input: {} }] }] }
    const ends = JSON.stringify({ version: 1, title: 'x', parts: [part] })
    expect(() => parseScript('x.json', ends)).toThrow(/x\.json is wrong.*the last step may not call tools/)
    const typo = JSON.stringify({ version: 1, title: 'x', parts: [{ ...part, first: [{ txt: 'a' }] }] })
    expect(() => parseScript('x.json', typo)).toThrow(/x\.json is wrong.*txt/)
  })

  it('refers only to facts and tools that exist', async () => {
    const folder = join(import.meta.dirname, '../../../resources/rehearsal')
    const scripts = await Promise.all(
      ['tour.json', 'garden-wall.json'].map(name => readFile(join(folder, name), 'utf8')),
    )
    const { factsOf } = await import('./prompt-facts.ts')
    const known = new Set(Object.keys(factsOf([], 0).texts))

    for (const script of scripts) {
      const used = [...script.matchAll(/\{\{(\w+)\}\}/g)].map(match => match[1])
      expect(used.filter(name => !known.has(name ?? ''))).toEqual([])
      const called = [...script.matchAll(/"tool": "(\w+)"/g)].map(match => match[1])
      expect(called.filter(name => !names.includes(name ?? ''))).toEqual([])
    }
  })
})

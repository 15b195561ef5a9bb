import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { providerStatusSchema } from '#shared/contract.ts'
import { DEFAULT_SETTINGS, type ProviderSettings, type Settings } from '#shared/settings.ts'
import { createModels } from './create-models.ts'

let server: Server | null = null
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = null
})
async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener)
  await new Promise<void>(resolve => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

function models(
  providers: readonly ProviderSettings[] = [],
  env: Record<string, string> = {},
  rest: { secrets?: Record<string, string>; settings?: Partial<Settings>; testDeadlineMs?: number } = {},
) {
  const { secrets = {}, settings = {}, ...options } = rest
  return createModels({
    settings: () => ({ ...DEFAULT_SETTINGS, providers: [...providers], ...settings }),
    secret: id => secrets[id] ?? null,
    env,
    ...options,
  })
}
const orchard = (baseUrl: string, names: string[] = ['m']): ProviderSettings => ({
  id: 'orchard',
  kind: 'openai-compatible',
  label: 'Orchard',
  baseUrl,
  models: names,
})
const answered = {
  id: '1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
}

describe('models', () => {
  it('has the rehearsal ready without any key', async () => {
    const none = models()

    expect(none.list()).toEqual([
      {
        id: 'rehearsal',
        kind: 'rehearsal',
        label: 'Rehearsal',
        models: ['rehearsal'],
        ready: true,
        problem: null,
        key: 'not-needed',
      },
    ])
    expect(none.defaultRoute()).toEqual({ provider: 'rehearsal', model: 'rehearsal' })
    expect(none.resolve(none.defaultRoute()).provider).toBe('rehearsal')
    expect((await none.test('rehearsal')).ok).toBe(true)
  })

  it('finds providers in the environment and never shows their keys', () => {
    const found = models([], {
      ANTHROPIC_API_KEY: 'sk-ant-secret',
      OPENAI_API_KEY: 'sk-secret',
      GEMINI_API_KEY: 'AIza-secret',
      DEEPSEEK_API_KEY: 'ds-secret',
      OPENROUTER_API_KEY: 'or-secret',
      OLLAMA_HOST: '0.0.0.0',
    })

    const list = found.list()

    expect(list.map(({ id, ready, key }) => [id, ready, key])).toEqual([
      ['anthropic', true, 'environment'],
      ['openai', true, 'environment'],
      ['google', true, 'environment'],
      ['deepseek', true, 'environment'],
      ['openrouter', true, 'environment'],
      ['ollama', false, 'not-needed'],
      ['rehearsal', true, 'not-needed'],
    ])
    expect(list.find(({ id }) => id === 'ollama')?.baseUrl).toBe('http://127.0.0.1:11434/v1')
    expect(JSON.stringify(list)).not.toContain('secret')
    for (const provider of list) expect(() => providerStatusSchema.parse(provider)).not.toThrow()
    for (const provider of list.filter(({ ready }) => ready)) {
      const [model = ''] = provider.models
      expect(found.resolve({ provider: provider.id, model }).modelId).toBe(model)
    }
    expect(found.defaultRoute().provider).toBe('anthropic')
  })

  it.each([
    ['127.0.0.1:9999', 'http://127.0.0.1:9999/v1'],
    [':9999', 'http://127.0.0.1:9999/v1'],
    ['https://ollama.example', 'https://ollama.example/v1'],
    ['http://host', 'http://host/v1'],
    ['host', 'http://host:11434/v1'],
    ['not a host', undefined],
  ])('reads the Ollama host %j as %j', (given, address) => {
    expect(
      models([], { OLLAMA_HOST: given })
        .list()
        .find(({ id }) => id === 'ollama')?.baseUrl,
    ).toBe(address)
  })

  it('sends a key of the environment to nobody but its vendor', async () => {
    const seen: (string | undefined)[] = []
    const address = await serve((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answered))
    })
    const env = { OPENAI_API_KEY: 'sk-secret' }
    const typed = models(
      [{ id: 'mine', kind: 'openai', label: 'Mine', baseUrl: address, models: ['m'] }],
      env,
    )
    const compatible = models([orchard(address)], env)

    await compatible.test('orchard')

    expect(typed.list()[0]).toMatchObject({ id: 'mine', ready: false, key: 'none' })
    expect(() => typed.resolve({ provider: 'mine', model: 'm' })).toThrow(
      'Mine needs a key. Add one in the settings.',
    )
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.every(header => header === undefined)).toBe(true)
  })

  it('names what is wrong with a route', () => {
    const some = models([orchard('http://127.0.0.1:1/v1')])

    expect(() => some.resolve({ provider: 'gone', model: 'm' })).toThrow(
      expect.objectContaining({ code: 'MODEL_UNKNOWN', message: expect.stringContaining('"gone"') }),
    )
    expect(() => some.resolve({ provider: 'orchard', model: 'x' })).toThrow(
      expect.objectContaining({
        code: 'MODEL_UNKNOWN',
        message: expect.stringContaining('Orchard does not list the model "x"'),
      }),
    )
  })

  it('prefers the default of the settings as long as its provider is there', () => {
    const defaultModel = { provider: 'orchard', model: 'm' }
    const there = models([orchard('http://x/v1')], {}, { settings: { defaultModel } })
    const gone = models([], { ANTHROPIC_API_KEY: 'k' }, { settings: { defaultModel } })

    expect(there.defaultRoute()).toEqual(defaultModel)
    expect(gone.defaultRoute().provider).toBe('anthropic')
  })

  it('knows prices and windows of well-known models only, and only at their own address', () => {
    const usage = { input: 1_000_000, output: 100_000, cacheRead: 1_000_000 }
    const some = models(
      [{ id: 'proxy', kind: 'anthropic', label: 'Proxy', baseUrl: 'http://x/v1', models: [] }],
      {
        ANTHROPIC_API_KEY: 'k',
        OLLAMA_HOST: 'x',
      },
    )
    const sonnet = { provider: 'anthropic', model: 'claude-sonnet-5-5' }

    expect(some.cost(sonnet, usage)).toBeCloseTo(2 + 1 + 0.1)
    expect(some.contextWindow(sonnet)).toBe(1_000_000)
    expect(some.cost({ ...sonnet, provider: 'proxy' }, usage)).toBeUndefined()
    expect(some.cost({ ...sonnet, model: 'constructor' }, usage)).toBeUndefined()
    expect(some.cost({ provider: 'ollama', model: 'llama' }, usage)).toBeUndefined()
    expect(some.contextWindow({ provider: 'ollama', model: 'llama' })).toBeNull()
    expect(some.cost({ provider: 'anthropic', model: 'claude-haiku-5-5' }, usage)).toBeUndefined()
    expect(some.cost({ provider: 'rehearsal', model: 'rehearsal' }, usage)).toBe(0)
  })

  it('tests a provider with one tiny request and learns its models', async () => {
    const bodies: string[] = []
    const address = await serve((request, response) => {
      response.setHeader('content-type', 'application/json')
      if (request.url === '/v1/models')
        return void response.end(JSON.stringify({ data: [{ id: 'pear' }, { id: 'fig' }] }))
      let body = ''
      request.on('data', piece => {
        body += piece
      })
      request.on('end', () => {
        bodies.push(body)
        response.end(JSON.stringify(answered))
      })
    })
    const some = models([orchard(address, [])])

    const before = some.list()[0]
    const tested = await some.test('orchard')

    expect(before).toMatchObject({
      ready: false,
      problem: 'Orchard lists no model. Test it to ask for its models.',
    })
    expect(tested).toMatchObject({
      ok: true,
      models: ['pear', 'fig'],
      message: expect.stringMatching(/^Orchard answered in \d+ ms\.$/),
    })
    expect(bodies).toHaveLength(1)
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ model: 'pear', max_tokens: 16 })
    expect(some.list()[0]).toMatchObject({ ready: true, models: ['pear', 'fig'] })
    expect(some.resolve({ provider: 'orchard', model: 'fig' }).modelId).toBe('fig')
  })

  it('discovers models of providers that list none and outlives those that do not answer', async () => {
    const address = await serve((_, response) => response.end(JSON.stringify({ data: [{ id: 'pear' }] })))
    const some = models([orchard(address, []), { ...orchard('http://127.0.0.1:1/v1', []), id: 'dead' }])

    await some.discover()

    expect(some.list().map(({ id, ready }) => [id, ready])).toEqual([
      ['orchard', true],
      ['dead', false],
      ['rehearsal', true],
    ])
  })

  it('answers a failing test with one sentence, within its deadline', async () => {
    const refusing = await serve((_, response) => response.writeHead(401).end('{}'))
    const refused = await models([orchard(refusing)]).test('orchard')
    server?.close()
    const mute = await serve(() => undefined)

    const silent = await models([orchard(mute)], {}, { testDeadlineMs: 200 }).test('orchard')

    expect(refused).toEqual({
      ok: false,
      models: ['m'],
      message: 'Orchard refused the key. Paste a new key in the settings.',
    })
    expect(silent).toMatchObject({
      ok: false,
      message: 'Orchard did not answer in time. Try again, or choose another model.',
    })
    expect(await models().test('gone')).toMatchObject({
      ok: false,
      message: expect.stringContaining('"gone"'),
    })
  })

  it('describes an error with the label of its provider', () => {
    const some = models([orchard('http://x/v1')])

    const { message } = some.describeError(new Error('x'), { provider: 'orchard', model: 'm' })

    expect(message).toMatch(/^Orchard failed/)
  })
})

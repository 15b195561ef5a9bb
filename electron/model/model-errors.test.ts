import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { APICallError, LoadAPIKeyError } from '@ai-sdk/provider'
import { RetryError, streamText } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { WorkbenchError } from '#shared/errors.ts'
import { describeModelError } from './model-errors.ts'
import { createPatientFetch } from './patient-fetch.ts'
import { createProviderModel } from './provider-model.ts'

const KEY = 'sk-proj-0123456789abcdefghijklmnop'
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

/** One request as the loop makes it, through the real provider; the text said and the error it ended with. */
async function ask(baseUrl: string, rest: { signal?: AbortSignal; silenceMs?: number } = {}) {
  const provider = {
    id: 'orchard',
    kind: 'openai-compatible',
    label: 'Orchard',
    baseUrl,
    official: false,
  } as const
  const fetch = createPatientFetch(rest.silenceMs ?? 10_000)
  const model = createProviderModel({ ...provider, models: [], key: KEY, keySource: 'keychain' }, 'm', fetch)
  let text = ''
  try {
    const result = streamText({
      model,
      prompt: 'Hello',
      maxRetries: 0,
      onError: () => undefined,
      ...(rest.signal === undefined ? {} : { abortSignal: rest.signal }),
    })
    for await (const part of result.stream) {
      if (part.type === 'text-delta') text += part.text
      if (part.type === 'error') return { text, failure: describeModelError(part.error, 'Orchard') }
      if (part.type === 'abort') return { text, failure: 'aborted' as const }
    }
    return { text, failure: null }
  } catch (error) {
    return { text, failure: describeModelError(error, 'Orchard') }
  }
}

const chunk = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: '1', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`

describe('a failing provider', () => {
  it.each([
    [401, 'MODEL_REFUSED', false, 'Orchard refused the key. Paste a new key in the settings.'],
    [
      402,
      'MODEL_REFUSED',
      false,
      'Orchard asks for payment (402). Add credit there, or choose another model.',
    ],
    [403, 'MODEL_REFUSED', false, expect.stringContaining('(403)')],
    [404, 'MODEL_REFUSED', false, expect.stringContaining('(404) (The key ••• is bad)')],
    [400, 'MODEL_REFUSED', false, expect.stringContaining('(400) (The key ••• is bad)')],
    [413, 'MODEL_REFUSED', false, expect.stringContaining('too large')],
    [429, 'MODEL_REFUSED', true, expect.stringContaining('Wait a little')],
    [500, 'MODEL_FAILED', true, expect.stringContaining('(500)')],
    [503, 'MODEL_FAILED', true, expect.stringContaining('(503)')],
    [504, 'MODEL_UNREACHABLE', true, expect.stringContaining('too long')],
  ])('that answers %i is %s', async (status, code, retryable, message) => {
    const address = await serve((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: `The key ${KEY} is bad` } }))
    })

    const { failure } = await ask(address)

    expect(failure).toEqual({ code, retryable, message })
    expect(JSON.stringify(failure)).not.toContain('0123456789')
  })

  it('that answers with a page instead of JSON is not quoted', async () => {
    const address = await serve((_, response) =>
      response.writeHead(502).end('<html><h1>Bad gateway</h1></html>'),
    )

    expect((await ask(address)).failure).toMatchObject({ code: 'MODEL_FAILED', retryable: true })
  })

  it('that sends garbage cannot be read', async () => {
    const address = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end('data: {"nonsense": [\n\ndata: 12\n\n')
    })

    const { failure } = await ask(address)

    expect(failure).toMatchObject({ code: 'MODEL_FAILED', retryable: true })
    expect(failure).toMatchObject({ message: expect.stringContaining('Orchard') })
  })

  it('that reports an error inside its stream is failed, with its words', async () => {
    const address = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk('Half'))
      response.end(
        `data: ${JSON.stringify({ error: { message: 'The engine stalled', type: 'server_error', code: 500 } })}\n\n`,
      )
    })

    const { text, failure } = await ask(address)

    expect(text).toBe('Half')
    expect(failure).toMatchObject({ code: 'MODEL_FAILED', message: expect.stringContaining('Orchard') })
  })

  it('that cuts the connection in the middle keeps what was said', async () => {
    const address = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk('Half'), () => setTimeout(() => response.destroy(), 50))
    })

    const { text, failure } = await ask(address)

    expect(text).toBe('Half')
    expect(failure).toMatchObject({ code: 'MODEL_UNREACHABLE', retryable: true })
  })

  it('that ends its stream before the answer is over is failed', async () => {
    const address = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(chunk('Half'))
    })

    expect(await ask(address)).toMatchObject({
      text: 'Half',
      failure: { code: 'MODEL_FAILED', retryable: true },
    })
  })

  it('that says nothing at all, or nothing more, fails after the silence and not before', async () => {
    const mute = await serve(() => undefined)
    const first = await ask(mute, { silenceMs: 200 })
    server?.closeAllConnections()
    server?.close()
    const slow = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const words = ['a', 'b', 'c', 'd', 'e']
      const timer = setInterval(() => {
        const word = words.shift()
        if (word === undefined) clearInterval(timer)
        else response.write(chunk(word))
      }, 100)
    })

    const second = await ask(slow, { silenceMs: 250 })

    const failure = { code: 'MODEL_UNREACHABLE', retryable: true }
    expect(first).toMatchObject({
      text: '',
      failure: { ...failure, message: expect.stringContaining('for 0.2 seconds') },
    })
    expect(second).toMatchObject({ text: 'abcde', failure })
  })

  it('that nobody hosts is unreachable', async () => {
    const address = await serve(() => undefined)
    await new Promise(resolve => server?.close(resolve))

    expect((await ask(address)).failure).toEqual({
      code: 'MODEL_UNREACHABLE',
      retryable: true,
      message:
        'Orchard cannot be reached: nothing listens at its address. Check its address and the network, then try again.',
    })
  })

  it('stops when the call is stopped', async () => {
    const address = await serve(() => undefined)

    expect((await ask(address, { signal: AbortSignal.timeout(100) })).failure).toBe('aborted')
  })
})

describe('describing a model error', () => {
  const call = (statusCode: number) =>
    new APICallError({
      message: 'x',
      url: 'https://orchard.example',
      requestBodyValues: { key: KEY },
      statusCode,
    })

  it('looks through retries and causes', () => {
    const last = call(401)
    const retries = new RetryError({
      message: 'gave up',
      reason: 'maxRetriesExceeded',
      errors: [call(500), last],
    })

    expect(describeModelError(retries, 'Orchard').code).toBe('MODEL_REFUSED')
    expect(describeModelError(new Error('outer', { cause: retries }), 'Orchard').code).toBe('MODEL_REFUSED')
  })

  it('keeps the codes of our own errors and of a missing key', () => {
    const unknown = new WorkbenchError('MODEL_UNKNOWN', 'Gone.')

    expect(describeModelError(unknown, 'Orchard')).toEqual({
      code: 'MODEL_UNKNOWN',
      message: 'Gone.',
      retryable: false,
    })
    expect(describeModelError(new LoadAPIKeyError({ message: 'no key' }), 'Orchard').code).toBe(
      'MODEL_KEY_MISSING',
    )
    expect(describeModelError(new DOMException('x', 'AbortError'), 'Orchard').code).toBe('CANCELLED')
  })

  it('finds words for anything', () => {
    const circular = new Error(`odd ${KEY}\nthing`)
    circular.cause = circular

    for (const error of [circular, 'text', null, undefined, { message: 'x' }, 12]) {
      const { code, message } = describeModelError(error, 'Orchard')
      expect(code).toBe('MODEL_FAILED')
      expect(message).toMatch(/^Orchard failed.*\. Try again/)
      expect(message).not.toContain('0123456789')
    }
  })
})

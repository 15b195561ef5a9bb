import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { generateText } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import type { Provider } from './provider.ts'
import { createProviderModel } from './provider-model.ts'

let server: Server | null = null
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = null
})

interface Seen {
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

/** What a provider of this kind sends for one request. */
async function requestOf(kind: Exclude<Provider['kind'], 'rehearsal'>, official = true): Promise<Seen> {
  const seen = Promise.withResolvers<Seen>()
  server = createServer((request, response) => {
    let body = ''
    request.on('data', piece => {
      body += piece
    })
    request.on('end', () => {
      seen.resolve({ url: request.url ?? '', headers: request.headers, body: JSON.parse(body) })
      response.writeHead(400).end('{}')
    })
  })
  await new Promise<void>(resolve => server?.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`
  const provider = { id: 'p', kind, label: 'P', baseUrl, official, models: ['m'], key: 'k-1' } as const
  const model = createProviderModel({ ...provider, keySource: 'keychain' }, 'm', fetch)
  await generateText({ model, prompt: 'Hello', maxRetries: 0 }).catch(() => undefined)
  return seen.promise
}

describe('a request', () => {
  it.each([
    ['anthropic', '/base/messages', 'x-api-key', 'k-1'],
    ['openai', '/base/responses', 'authorization', 'Bearer k-1'],
    ['google', '/base/models/m:generateContent', 'x-goog-api-key', 'k-1'],
    ['deepseek', '/base/chat/completions', 'authorization', 'Bearer k-1'],
    ['openai-compatible', '/base/chat/completions', 'authorization', 'Bearer k-1'],
  ] as const)('to %s goes to %s with the key in %s', async (kind, url, header, value) => {
    const seen = await requestOf(kind)

    expect(seen.url).toBe(url)
    expect(seen.headers[header]).toBe(value)
  })

  it('asks OpenAI to keep nothing', async () => {
    expect((await requestOf('openai')).body).toMatchObject({ store: false })
  })

  it('asks Anthropic itself, and nobody in its place, to cache the prompt', async () => {
    const own = await requestOf('anthropic')
    server?.close()
    const other = await requestOf('anthropic', false)

    expect(own.body).toMatchObject({ cache_control: { type: 'ephemeral' } })
    expect(other.body).not.toHaveProperty('cache_control')
  })
})

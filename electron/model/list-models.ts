import { z } from 'zod'
import type { Provider } from './provider.ts'

const MAX_MODELS = 2000

const listSchema = z.object({ data: z.array(z.object({ id: z.string().min(1) })) })
const googleListSchema = z.object({ models: z.array(z.object({ name: z.string().min(1) })) })

/**
 * Names of the models a provider offers, in its order. Rejects with whatever `fetch` rejects with; resolves with an empty list
 * where the provider has no such list or it cannot be read.
 */
export async function fetchModelNames(
  provider: Provider,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<string[]> {
  const address = `${provider.baseUrl.replace(/\/+$/, '')}/models`
  const response = await fetch(address, { headers: headersOf(provider), signal, redirect: 'error' })
  if (!response.ok) {
    await response.body?.cancel()
    return []
  }
  const body: unknown = await response.json().catch(() => null) // no JSON: no list
  return namesIn(body).slice(0, MAX_MODELS)
}

function headersOf({ kind, key }: Provider): Record<string, string> {
  if (key === null) return {}
  if (kind === 'anthropic') return { 'x-api-key': key, 'anthropic-version': '2023-06-01' }
  return kind === 'google' ? { 'x-goog-api-key': key } : { authorization: `Bearer ${key}` }
}

function namesIn(body: unknown): string[] {
  const list = listSchema.safeParse(body)
  if (list.success) return list.data.data.map(({ id }) => id)
  const google = googleListSchema.safeParse(body)
  return google.success ? google.data.models.map(({ name }) => name.replace(/^models\//, '')) : []
}

import { createAnthropic } from '@ai-sdk/anthropic'
import { createDeepSeek } from '@ai-sdk/deepseek'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { defaultSettingsMiddleware, wrapLanguageModel } from 'ai'
import type { Provider } from './provider.ts'

/** OpenAI keeps answers unless told not to: our log is the only record. */
const notStored = defaultSettingsMiddleware({ settings: { providerOptions: { openai: { store: false } } } })

/** Anthropic caches a prompt only when asked: without it every step of a loop pays for the whole conversation anew. */
const cached = defaultSettingsMiddleware({
  settings: { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } },
})

/** The SDK's model for a provider. Address and key are always given, so that no SDK looks into the environment itself. */
export function createProviderModel(
  provider: Provider & { readonly kind: Exclude<Provider['kind'], 'rehearsal'> },
  modelId: string,
  fetch: typeof globalThis.fetch,
): LanguageModelV4 {
  const options = { baseURL: provider.baseUrl, apiKey: provider.key ?? '', fetch }
  switch (provider.kind) {
    case 'anthropic':
      // A stand-in at another address may not know the field.
      return provider.official
        ? wrapLanguageModel({ model: createAnthropic(options)(modelId), middleware: cached })
        : createAnthropic(options)(modelId)
    case 'openai':
      return wrapLanguageModel({ model: createOpenAI(options).responses(modelId), middleware: notStored })
    case 'google':
      return createGoogle(options)(modelId)
    case 'deepseek':
      return createDeepSeek(options)(modelId)
    case 'openai-compatible': {
      const { baseURL } = options
      const key = provider.key === null ? {} : { apiKey: provider.key }
      return createOpenAICompatible({ name: provider.id, baseURL, fetch, includeUsage: true, ...key })(
        modelId,
      )
    }
  }
}

import type { LanguageModelV4 } from '@ai-sdk/provider'
import { generateText } from 'ai'
import type { ProviderStatus } from '#shared/contract.ts'
import { WorkbenchError } from '#shared/errors.ts'
import type { ModelRoute } from '#shared/session/events.ts'
import type { Settings } from '#shared/settings.ts'
import { contextWindowOf } from './context-windows.ts'
import { fetchModelNames } from './list-models.ts'
import { describeModelError, keyMissing, type ModelFailure } from './model-errors.ts'
import type { Models } from './models.ts'
import { createPatientFetch } from './patient-fetch.ts'
import { costOf } from './prices.ts'
import type { Provider } from './provider.ts'
import { listProviders, REHEARSAL } from './provider-list.ts'
import { createProviderModel } from './provider-model.ts'
import { createRehearsalModel } from './rehearsal/rehearsal-model.ts'

export interface ModelsDeps {
  /** Read at every call: a saved provider counts at once. */
  readonly settings: () => Settings
  /** The key kept for a provider, `null` without one. */
  readonly secret: (providerId: string) => string | null
  readonly env: Readonly<Record<string, string | undefined>>
  readonly rehearsal?: { readonly paceMs?: number }
  /** Longest silence of a provider before its request fails. */
  readonly silenceMs?: number
  readonly testDeadlineMs?: number
}

export interface ProviderModels extends Models {
  /** Asks providers that list no model for their names. Never throws: who does not answer in time still lists none. */
  discover(): Promise<void>
  /** `describeModelError` with the label of the route's provider. */
  describeError(error: unknown, route: ModelRoute): ModelFailure
}

export function createModels(deps: ModelsDeps): ProviderModels {
  const { silenceMs = 300_000, testDeadlineMs = 15_000 } = deps
  const fetch = createPatientFetch(silenceMs)
  const rehearsal = createRehearsalModel(deps.rehearsal ?? {})
  const discovered = new Map<string, readonly string[]>()

  const all = () => listProviders({ settings: deps.settings(), secret: deps.secret, env: deps.env })
  const find = (id: string) => all().find(provider => provider.id === id)
  const modelsOf = ({ id, baseUrl, models }: Provider) => [
    ...new Set([...models, ...(discovered.get(`${id} ${baseUrl}`) ?? [])]),
  ]

  function problemOf(provider: Provider): string | null {
    if (provider.keySource === 'none') return keyMissing(provider.label).message
    if (provider.kind === 'openai-compatible' && provider.baseUrl === '') {
      return `${provider.label} has no address. Add one in the settings.`
    }
    return modelsOf(provider).length > 0
      ? null
      : `${provider.label} lists no model. Test it to ask for its models.`
  }

  async function learn(provider: Provider, signal: AbortSignal): Promise<string[]> {
    const names = await fetchModelNames(provider, fetch, signal)
    if (names.length > 0) discovered.set(`${provider.id} ${provider.baseUrl}`, names)
    return names
  }

  function modelOf(provider: Provider, model: string): LanguageModelV4 {
    const { kind } = provider
    return kind === 'rehearsal' ? rehearsal : createProviderModel({ ...provider, kind }, model, fetch)
  }

  async function test(providerId: string): Promise<{ ok: boolean; message: string; models: string[] }> {
    const provider = find(providerId)
    if (provider === undefined) {
      return {
        ok: false,
        message: `There is no provider "${providerId}". Add it in the settings.`,
        models: [],
      }
    }
    if (provider.kind === 'rehearsal') {
      return { ok: true, message: 'Rehearsal is built in and always ready.', models: [...provider.models] }
    }
    if (provider.keySource === 'none')
      return { ok: false, message: keyMissing(provider.label).message, models: [] }
    const signal = AbortSignal.timeout(testDeadlineMs)
    const started = performance.now()
    try {
      if (provider.baseUrl === '')
        throw new WorkbenchError('MODEL_UNREACHABLE', `${provider.label} has no address. Add one.`)
      await learn(provider, signal)
      const [first] = modelsOf(provider)
      if (first === undefined) {
        const message = `${provider.label} answered, but lists no model. Name one in the settings.`
        return { ok: false, message, models: [] }
      }
      const request = {
        prompt: 'Answer with the word ok.',
        maxOutputTokens: 16,
        maxRetries: 0,
        abortSignal: signal,
      }
      await generateText({ model: modelOf(provider, first), ...request })
      const ms = Math.round(performance.now() - started)
      return { ok: true, message: `${provider.label} answered in ${ms} ms.`, models: modelsOf(provider) }
    } catch (error) {
      const { message } = describeModelError(error, provider.label)
      return { ok: false, message, models: modelsOf(provider) }
    }
  }

  return {
    list: () => all().map(provider => toStatus(provider, modelsOf(provider), problemOf(provider))),
    defaultRoute: () => {
      const given = deps.settings().defaultModel
      if (given !== null && find(given.provider) !== undefined) return given
      const ready = all().find(provider => problemOf(provider) === null) ?? REHEARSAL
      return { provider: ready.id, model: modelsOf(ready)[0] ?? 'rehearsal' }
    },
    resolve: route => {
      const provider = find(route.provider)
      if (provider === undefined) {
        const text = `There is no provider "${route.provider}" any more. Choose another model.`
        throw new WorkbenchError('MODEL_UNKNOWN', text)
      }
      if (provider.keySource === 'none') {
        throw new WorkbenchError('MODEL_KEY_MISSING', keyMissing(provider.label).message)
      }
      if (!modelsOf(provider).includes(route.model)) {
        const text = `${provider.label} does not list the model "${route.model}". Choose another model, or add it in the settings.`
        throw new WorkbenchError('MODEL_UNKNOWN', text)
      }
      return modelOf(provider, route.model)
    },
    contextWindow: ({ provider: id, model }) => {
      const provider = find(id)
      return provider?.official === true ? contextWindowOf(provider.kind, model) : null
    },
    cost: ({ provider: id, model }, usage) => {
      const provider = find(id)
      return provider?.official === true ? costOf(provider.kind, model, usage) : undefined
    },
    test,
    discover: async () => {
      const silent = all().filter(
        provider => problemOf(provider) !== null && provider.keySource !== 'none' && provider.baseUrl !== '',
      )
      // A provider that does not answer keeps its problem, which the list shows.
      await Promise.allSettled(silent.map(provider => learn(provider, AbortSignal.timeout(5000))))
    },
    describeError: (error, route) => describeModelError(error, find(route.provider)?.label ?? route.provider),
  }
}

function toStatus(provider: Provider, models: string[], problem: string | null): ProviderStatus {
  const { id, kind, label, baseUrl, official, keySource } = provider
  const address = official || baseUrl === '' ? {} : { baseUrl }
  return { id, kind, label, models, ...address, ready: problem === null, problem, key: keySource }
}

import type { Usage } from '#shared/session/events.ts'
import type { ProviderKind } from '#shared/settings.ts'

/** USD for a million tokens, at the provider's own address. */
interface Price {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  /** Absent: writing to the cache is not charged apart. */
  readonly cacheWrite?: number
  /** Requests with more tokens than this cost something else, which is not in the table. */
  readonly upToInput?: number
}

/** Well-known models with one published price, as of November 2026. What is not in here has no known price. */
const PRICES: Readonly<Partial<Record<ProviderKind, Readonly<Record<string, Price>>>>> = {
  anthropic: {
    'claude-fable-5-1': { input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5 },
    'claude-opus-5-5': { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
    'claude-opus-5': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
    'claude-opus-4-8': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
    'claude-sonnet-5-5': { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 },
    'claude-sonnet-5': { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
    'claude-haiku-5-5': { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125, upToInput: 100_000 },
    'claude-haiku-4-5': { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
  },
  openai: {
    'gpt-6-sol': { input: 2, output: 10, cacheRead: 0.2, upToInput: 272_000 },
    'gpt-6-luna': { input: 0.1, output: 0.5, cacheRead: 0.01, upToInput: 272_000 },
    'gpt-5': { input: 1.25, output: 10, cacheRead: 0.125 },
    'gpt-5-mini': { input: 0.25, output: 2, cacheRead: 0.025 },
    'gpt-5-nano': { input: 0.05, output: 0.4, cacheRead: 0.005 },
    'gpt-4.1': { input: 2, output: 8, cacheRead: 0.5 },
    'gpt-4.1-mini': { input: 0.4, output: 1.6, cacheRead: 0.1 },
  },
}

/** `undefined`: the price of this model, or of a request of this size, is not known. */
export function costOf(kind: ProviderKind, model: string, usage: Usage): number | undefined {
  if (kind === 'rehearsal') return 0
  const models = PRICES[kind]
  const price = models !== undefined && Object.hasOwn(models, model) ? models[model] : undefined
  if (price === undefined) return undefined
  const { input, output, cacheRead = 0, cacheWrite = 0 } = usage
  if (input + cacheRead + cacheWrite > (price.upToInput ?? Number.POSITIVE_INFINITY)) return undefined
  const written = cacheWrite * (price.cacheWrite ?? price.input)
  return (input * price.input + output * price.output + cacheRead * price.cacheRead + written) / 1_000_000
}

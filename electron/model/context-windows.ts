import type { ProviderKind } from '#shared/settings.ts'

/** Tokens in and out together, for well-known models at the provider's own address. */
const WINDOWS: Readonly<Partial<Record<ProviderKind, Readonly<Record<string, number>>>>> = {
  anthropic: {
    'claude-fable-5-1': 1_000_000,
    'claude-opus-5-5': 1_000_000,
    'claude-opus-5': 1_000_000,
    'claude-sonnet-5-5': 1_000_000,
    'claude-sonnet-5': 1_000_000,
    'claude-haiku-5-5': 1_000_000,
    'claude-haiku-4-5': 200_000,
  },
  openai: {
    'gpt-6-sol': 1_050_000,
    'gpt-6-luna': 1_050_000,
    'gpt-5': 400_000,
    'gpt-5-mini': 400_000,
    'gpt-5-nano': 400_000,
    'gpt-4.1': 1_047_576,
    'gpt-4.1-mini': 1_047_576,
  },
  google: { 'gemini-2.5-pro': 1_048_576, 'gemini-2.5-flash': 1_048_576 },
  deepseek: { 'deepseek-flash': 1_000_000, 'deepseek-v4-pro': 1_000_000 },
  rehearsal: { tour: 200_000 },
}

/** `null`: not known. */
export function contextWindowOf(kind: ProviderKind, model: string): number | null {
  const models = WINDOWS[kind]
  return models !== undefined && Object.hasOwn(models, model) ? (models[model] ?? null) : null
}

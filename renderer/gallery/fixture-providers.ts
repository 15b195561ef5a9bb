import type { ProviderStatus } from '#shared/contract.ts'
import type { ProviderSettings } from '#shared/settings.ts'

/** One that works, one whose key is refused, and what comes with the product. */
const CONFIGURED: readonly ProviderStatus[] = [
  {
    id: 'ollama',
    kind: 'openai-compatible',
    label: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    models: ['qwen3-coder', 'devstral-2', 'gpt-oss', 'gemma4'],
    ready: true,
    problem: null,
    key: 'not-needed',
  },
  {
    id: 'custom',
    kind: 'openai-compatible',
    label: 'Custom endpoint',
    baseUrl: 'https://models.orchard.example/v1',
    models: ['qwen3-coder', 'devstral-2'],
    ready: false,
    problem: 'Key refused',
    key: 'keychain',
  },
]
const REHEARSAL: ProviderStatus = {
  id: 'rehearsal',
  kind: 'rehearsal',
  label: 'Rehearsal model',
  models: ['rehearsal'],
  ready: true,
  problem: null,
  key: 'not-needed',
}

/** The fixtures with what was saved over them. */
export function providersOf(saved: readonly ProviderSettings[]): ProviderStatus[] {
  const known = CONFIGURED.map(provider => ({ ...provider, ...saved.find(({ id }) => id === provider.id) }))
  const added = saved
    .filter(({ id }) => !CONFIGURED.some(provider => provider.id === id))
    .map(provider => ({ ...provider, ready: true, problem: null, key: 'keychain' as const }))
  return [...known, ...added, REHEARSAL]
}

import { type ProviderKind, type ProviderSettings, providerSettingsSchema } from '#shared/settings.ts'

export type ReadProvider =
  | { readonly ok: true; readonly provider: ProviderSettings; readonly key: string }
  | { readonly ok: false; readonly problem: string }

/** What the form holds, or one sentence about what is missing. A new provider's id comes from its name. */
export function readProvider(
  data: FormData,
  kind: ProviderKind,
  existing: ProviderSettings | null,
): ReadProvider {
  const label = text(data, 'label')
  const baseUrl = text(data, 'baseUrl')
  const models = text(data, 'models')
    .split(/[,\s]+/)
    .filter(model => model !== '')
  if (label === '') return { ok: false, problem: 'The provider needs a name.' }
  if (kind === 'openai-compatible' && baseUrl === '')
    return { ok: false, problem: 'The provider needs an address.' }
  const candidate = {
    id: existing?.id ?? idOf(label),
    kind,
    label,
    models,
    ...(baseUrl !== '' && { baseUrl }),
  }
  const parsed = providerSettingsSchema.safeParse(candidate)
  if (parsed.success) return { ok: true, provider: parsed.data, key: text(data, 'key') }
  const field = parsed.error.issues[0]?.path[0]
  if (field === 'baseUrl') return { ok: false, problem: 'The address has to begin with http:// or https://.' }
  return { ok: false, problem: `The ${String(field ?? 'provider')} cannot be used.` }
}

/** "Custom endpoint" becomes "custom-endpoint". Letters that no id can hold are left out. */
export function idOf(label: string): string {
  const id = label
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 32)
  return id === '' ? 'provider' : id
}

function text(data: FormData, name: string): string {
  const value = data.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

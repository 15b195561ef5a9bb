import type { Settings } from '#shared/settings.ts'
import { firstOf, fromEnvironment } from './environment-providers.ts'
import type { Provider, ProviderSources } from './provider.ts'
import { sameAddress, VENDORS } from './vendors.ts'

export const REHEARSAL: Provider = {
  id: 'rehearsal',
  kind: 'rehearsal',
  label: 'Rehearsal',
  baseUrl: '',
  official: true,
  models: ['rehearsal'],
  key: null,
  keySource: 'not-needed',
}

/** Those of the settings, then those the environment names, then the rehearsal. An id of the settings wins. */
export function listProviders(sources: ProviderSources): readonly Provider[] {
  const configured = sources.settings.providers
    .filter(({ kind, id }) => kind !== 'rehearsal' && id !== REHEARSAL.id)
    .map(settings => fromSettings(settings, sources))
  const known = new Set(configured.map(({ id }) => id))
  const official = new Set(configured.filter(provider => provider.official).map(({ kind }) => kind))
  const found = fromEnvironment(sources.env).filter(
    provider => !known.has(provider.id) && !(provider.official && official.has(provider.kind)),
  )
  return [...configured, ...found, REHEARSAL]
}

function fromSettings(settings: Settings['providers'][number], { secret, env }: ProviderSources): Provider {
  const { id, kind, label, models } = settings
  const stored = secret(id)
  if (kind === 'openai-compatible' || kind === 'rehearsal') {
    const keySource = stored === null ? 'not-needed' : 'keychain'
    return {
      id,
      kind,
      label,
      models,
      baseUrl: settings.baseUrl ?? '',
      official: false,
      key: stored,
      keySource,
    }
  }
  const vendor = VENDORS[kind]
  const official = settings.baseUrl === undefined || sameAddress(settings.baseUrl, vendor.baseUrl)
  // A key of the environment goes to the vendor itself only, never to an address somebody typed.
  const given = stored === null && official ? firstOf(env, vendor.keyNames) : null
  const keySource = stored !== null ? 'keychain' : given !== null ? 'environment' : 'none'
  const baseUrl = settings.baseUrl ?? vendor.baseUrl
  return { id, kind, label, models, baseUrl, official, key: stored ?? given, keySource }
}

import type { ProviderKind, Settings } from '#shared/settings.ts'

/** A provider with all that is needed to reach it. */
export interface Provider {
  readonly id: string
  readonly kind: ProviderKind
  readonly label: string
  readonly baseUrl: string
  /** The address is the vendor's own: its published prices and windows hold. */
  readonly official: boolean
  readonly models: readonly string[]
  readonly key: string | null
  readonly keySource: 'none' | 'keychain' | 'environment' | 'not-needed'
}

export const REHEARSAL: Provider = {
  id: 'rehearsal',
  kind: 'rehearsal',
  label: 'Rehearsal',
  baseUrl: '',
  official: true,
  models: ['tour'],
  key: null,
  keySource: 'not-needed',
}

type VendorKind = Exclude<ProviderKind, 'rehearsal' | 'openai-compatible'>

interface Vendor {
  readonly label: string
  readonly baseUrl: string
  readonly keyNames: readonly string[]
  /** Offered when only a key is known. Asking the provider gives the rest. */
  readonly models: readonly string[]
}

const VENDORS: Readonly<Record<VendorKind, Vendor>> = {
  anthropic: {
    label: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    keyNames: ['ANTHROPIC_API_KEY'],
    models: ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5'],
  },
  openai: {
    label: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    keyNames: ['OPENAI_API_KEY'],
    models: ['gpt-6-sol', 'gpt-6-luna'],
  },
  google: {
    label: 'Google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyNames: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    models: ['gemini-3.8-flash', 'gemini-2.5-pro', 'gemini-2.5-flash'],
  },
  deepseek: {
    label: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com',
    keyNames: ['DEEPSEEK_API_KEY'],
    models: ['deepseek-flash', 'deepseek-v4-pro'],
  },
}
const VENDOR_KINDS = ['anthropic', 'openai', 'google', 'deepseek'] as const

export interface ProviderSources {
  readonly settings: Settings
  readonly secret: (providerId: string) => string | null
  readonly env: Readonly<Record<string, string | undefined>>
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

function fromEnvironment(env: ProviderSources['env']): readonly Provider[] {
  const found: Provider[] = []
  for (const kind of VENDOR_KINDS) {
    const { label, baseUrl, keyNames, models } = VENDORS[kind]
    const key = firstOf(env, keyNames)
    if (key === null || (kind === 'openai' && openAiAddress(env) !== null)) continue
    found.push({ id: kind, kind, label, baseUrl, official: true, models, key, keySource: 'environment' })
  }
  const compatible = { kind: 'openai-compatible', official: false } as const
  const address = openAiAddress(env)
  if (address !== null) {
    const key = firstOf(env, ['OPENAI_API_KEY'])
    const keySource = key === null ? 'not-needed' : 'environment'
    found.push({
      ...compatible,
      id: 'openai',
      label: new URL(address).host,
      baseUrl: address,
      models: [],
      key,
      keySource,
    })
  }
  const router = firstOf(env, ['OPENROUTER_API_KEY'])
  if (router !== null) {
    const openRouter = { id: 'openrouter', label: 'OpenRouter', baseUrl: 'https://openrouter.ai/api/v1' }
    found.push({
      ...compatible,
      ...openRouter,
      models: ['openrouter/auto'],
      key: router,
      keySource: 'environment',
    })
  }
  const ollama = ollamaAddress(env['OLLAMA_HOST'])
  if (ollama !== null) {
    found.push({
      ...compatible,
      id: 'ollama',
      label: 'Ollama',
      baseUrl: ollama,
      models: [],
      key: null,
      keySource: 'not-needed',
    })
  }
  return found
}

function openAiAddress(env: ProviderSources['env']): string | null {
  const given = firstOf(env, ['OPENAI_BASE_URL'])
  return given !== null && isHttp(given) && !sameAddress(given, VENDORS.openai.baseUrl) ? given : null
}

/** `OLLAMA_HOST` may be a host, a port or an address, and the one to listen on rather than to call. */
function ollamaAddress(given: string | undefined): string | null {
  const text = given?.trim() ?? ''
  if (text === '') return null
  const withHost = text.startsWith(':') ? `127.0.0.1${text}` : text
  const withScheme = withHost.includes('://') ? withHost : `http://${withHost}`
  if (!isHttp(withScheme)) return null
  const url = new URL(withScheme)
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1'
  if (url.port === '' && url.protocol === 'http:' && !text.includes('://')) url.port = '11434'
  return `${url.origin}/v1`
}

function firstOf(env: ProviderSources['env'], names: readonly string[]): string | null {
  const values = names.map(name => env[name]?.trim() ?? '')
  return values.find(value => value !== '') ?? null
}

function isHttp(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

function sameAddress(one: string, other: string): boolean {
  return one.replace(/\/+$/, '') === other.replace(/\/+$/, '')
}

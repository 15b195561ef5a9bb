import type { Provider, ProviderSources } from './provider.ts'
import { sameAddress, VENDOR_KINDS, VENDORS } from './vendors.ts'

/** Providers that the usual environment variables name. */
export function fromEnvironment(env: ProviderSources['env']): readonly Provider[] {
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

/** The first of these variables that holds something. */
export function firstOf(env: ProviderSources['env'], names: readonly string[]): string | null {
  const values = names.map(name => env[name]?.trim() ?? '')
  return values.find(value => value !== '') ?? null
}

function isHttp(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

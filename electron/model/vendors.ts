import type { ProviderKind } from '#shared/settings.ts'

export type VendorKind = Exclude<ProviderKind, 'rehearsal' | 'openai-compatible'>

interface Vendor {
  readonly label: string
  readonly baseUrl: string
  readonly keyNames: readonly string[]
  /** Offered when only a key is known. Asking the provider gives the rest. */
  readonly models: readonly string[]
}

/** The vendors' own addresses: their published prices and windows hold there. */
export const VENDORS: Readonly<Record<VendorKind, Vendor>> = {
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

/** The order in which the environment is searched. */
export const VENDOR_KINDS = ['anthropic', 'openai', 'google', 'deepseek'] as const

export function sameAddress(one: string, other: string): boolean {
  return one.replace(/\/+$/, '') === other.replace(/\/+$/, '')
}

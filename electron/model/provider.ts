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

export interface ProviderSources {
  readonly settings: Settings
  readonly secret: (providerId: string) => string | null
  readonly env: Readonly<Record<string, string | undefined>>
}

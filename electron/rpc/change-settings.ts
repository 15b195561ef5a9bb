import { DEFAULT_SETTINGS, type Limits, type ProviderSettings, type Settings } from '#shared/settings.ts'
import type { SecretStore } from '../secrets.ts'
import type { SettingsStore } from '../settings-store.ts'

type Parts<T> = { readonly [K in keyof T]?: T[K] | undefined }
type SettingsChange = Parts<Omit<Settings, 'providers' | 'limits'>> & {
  readonly limits?: Parts<Limits> | undefined
}

/** What a person sets, by the parts that changed. Every one answers with all settings, once they are saved. */
export function createSettingsChanges(settings: SettingsStore, secrets: SecretStore) {
  return {
    update({ limits, ...change }: SettingsChange): Settings {
      return settings.update({
        ...defined(change),
        ...(limits && { limits: { ...settings.get().limits, ...defined(limits) } }),
      })
    },

    /** `key`: kept where keys are kept; `null` forgets it, absent leaves it. */
    async saveProvider(provider: ProviderSettings, key: string | null | undefined): Promise<Settings> {
      if (key !== undefined) await secrets.set(provider.id, key)
      const others = settings.get().providers.filter(({ id }) => id !== provider.id)
      return settings.update({ providers: [...others, provider] })
    },

    /** With its key. What was its model by default is that of the rehearsal then. */
    async removeProvider(providerId: string): Promise<Settings> {
      await secrets.set(providerId, null)
      const { providers, defaultModel } = settings.get()
      return settings.update({
        providers: providers.filter(({ id }) => id !== providerId),
        defaultModel: defaultModel?.provider === providerId ? DEFAULT_SETTINGS.defaultModel : defaultModel,
      })
    },
  }
}

/** Absent means "leave it": optional fields of a change that are `undefined` are no change. */
function defined<T extends object>(change: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> }
}

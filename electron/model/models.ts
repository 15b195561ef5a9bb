import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ProviderStatus } from '#shared/contract.ts'
import type { ModelRoute, Usage } from '#shared/session/events.ts'

/** The models a person can choose, and how to reach them. */
export interface Models {
  list(): ProviderStatus[]
  /** For new sessions: the setting, else the first provider that is ready, else the rehearsal model. */
  defaultRoute(): ModelRoute
  /**
   * A model ready to be called.
   * @throws WorkbenchError `MODEL_UNKNOWN` (no such provider, or it no longer lists that model) or
   * `MODEL_KEY_MISSING`, with a sentence that names the provider and one thing to do.
   */
  resolve(route: ModelRoute): LanguageModelV4
  /** Tokens the model's window holds, `null` when unknown. */
  contextWindow(route: ModelRoute): number | null
  /** `undefined` when the price is unknown. */
  cost(route: ModelRoute, usage: Usage): number | undefined
  /** One tiny request; never throws. */
  test(
    providerId: string,
  ): Promise<{ readonly ok: boolean; readonly message: string; readonly models: string[] }>
}

/** Keys of model providers, by provider id. Never in the settings, a log or a window. */
export interface SecretStore {
  get(providerId: string): string | null
  /** Durable when it resolves; `null` forgets. Rejects with a sentence for people. */
  set(providerId: string, key: string | null): Promise<void>
  /** Every key that is kept and can be read, so that none is ever written elsewhere. Never throws. */
  known(): readonly string[]
  /** Where keys are kept, in one honest sentence for people. */
  readonly place: string
}

import { z } from 'zod'
import { approvalModeSchema } from './session/approval-mode.ts'
import { modelRouteSchema } from './session/events.ts'

/** The kinds of provider Espalier speaks to. `openai-compatible` needs an address. */
export const providerKindSchema = z.enum([
  'openai-compatible',
  'anthropic',
  'openai',
  'google',
  'deepseek',
  'rehearsal',
])
export type ProviderKind = z.infer<typeof providerKindSchema>

/** A configured provider. Its key is never in here: it lives in the keychain or the environment. */
export const providerSettingsSchema = z.object({
  /** Chosen by the person; the `provider` of a model route. */
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/),
  kind: providerKindSchema,
  label: z.string().min(1),
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  models: z.array(z.string().min(1)),
})
export type ProviderSettings = z.infer<typeof providerSettingsSchema>

export const limitsSchema = z.object({
  depth: z.number().int().min(1).max(10),
  runningPerRoot: z.number().int().min(1).max(64),
  turnsPerChild: z.number().int().min(1).max(1000),
  tokensPerRoot: z.number().int().positive().nullable(),
  costUsdPerRoot: z.number().positive().nullable(),
})
export type Limits = z.infer<typeof limitsSchema>

export const settingsSchema = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  contrast: z.enum(['system', 'normal', 'more']),
  /** For new sessions; `null`: the first provider that is ready, else the rehearsal model. */
  defaultModel: modelRouteSchema.nullable(),
  /** Of new sessions. */
  approvalMode: approvalModeSchema,
  providers: z.array(providerSettingsSchema),
  limits: limitsSchema,
  /** Folders opened, latest first. */
  workspaces: z.array(z.string()),
})
export type Settings = z.infer<typeof settingsSchema>

export const DEFAULT_SETTINGS: Settings = {
  theme: 'system',
  contrast: 'system',
  defaultModel: null,
  approvalMode: 'ask',
  providers: [],
  limits: { depth: 3, runningPerRoot: 8, turnsPerChild: 100, tokensPerRoot: null, costUsdPerRoot: null },
  workspaces: [],
}

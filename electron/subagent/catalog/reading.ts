import type { SubagentIdentity, SubagentState } from '#shared/projection/units/subagent.ts'
import type { Damage } from '#shared/session/inspection.ts'
import type { Json } from '#shared/session/json.ts'
import type { DiagnosticDetail } from '#shared/subagent/catalog-entry.ts'

/** What one candidate turned out to be: four states (contracts §6.4), and what its reading showed. */
export type Reading =
  | {
      readonly kind: 'identity'
      readonly identity: SubagentIdentity
      readonly state: SubagentState | null
      readonly values: Readonly<Record<string, Json>>
      readonly damage: readonly Damage[]
    }
  | {
      readonly kind: 'corrupt' | 'unavailable'
      readonly detail: DiagnosticDetail
      readonly identity: SubagentIdentity | null
      readonly values: Readonly<Record<string, Json>>
    }
  /** Live, and nothing said yet of what it is: the creation window. */
  | { readonly kind: 'creating' }

import type { Unit } from './unit.ts'
import { approvals } from './units/approvals.ts'
import { doing } from './units/doing.ts'
import { files } from './units/files.ts'
import { identityRecord } from './units/identity-record.ts'
import { inbox } from './units/inbox.ts'
import { lastMessage } from './units/last-message.ts'
import { outcome } from './units/outcome.ts'
import { subagent } from './units/subagent.ts'
import { subagentTiming } from './units/subagent-timing.ts'
import { title } from './units/title.ts'
import { todos } from './units/todos.ts'
import { turns } from './units/turns.ts'
import { usage } from './units/usage.ts'

const all = {
  subagent,
  subagentTiming,
  outcome,
  doing,
  title,
  usage,
  lastMessage,
  todos,
  approvals,
  files,
  inbox,
  identityRecord,
  turns,
} as const

/** Every unit of Espalier: the live registry and the store thread's cold folds both take this list. */
export const UNITS: readonly Unit[] = Object.values(all) as readonly Unit[]

export type UnitKey = keyof typeof all
type ViewOf<U> = U extends { readonly view?: ((state: never) => infer V) | undefined } ? V : never

/** The published value of each key. `null` also stands for a quarantined unit; an absent key for "not known". */
export type ProjectionValues = { readonly [K in UnitKey]?: ViewOf<(typeof all)[K]> | null }

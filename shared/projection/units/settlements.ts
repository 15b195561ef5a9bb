import { z } from 'zod'
import { defineUnit, isInherited } from '../unit.ts'

const stateSchema = z.record(z.string(), z.number())
export type Settlements = z.infer<typeof stateSchema>

/** Per child, the seq of its last end that was delivered here. Host-only: it makes delivery exactly-once. */
export const settlements = defineUnit({
  key: 'settlements',
  stateVersion: 1,
  stateSchema,
  init: (): Settlements => ({}),
  apply: (state, event, ctx): Settlements => {
    if (event.type !== 'subagent/settled' || isInherited(event, ctx)) return state
    const { childId, childSeq } = event.data ?? {}
    if (typeof childId !== 'string' || typeof childSeq !== 'number') return state
    return { ...state, [childId]: Math.max(childSeq, state[childId] ?? -1) }
  },
})

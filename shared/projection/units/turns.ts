import { z } from 'zod'
import { defineUnit, isInherited } from '../unit.ts'

const stateSchema = z.object({
  /** Own turns started. */
  own: z.number(),
  /** Number of the latest turn, inherited ones included. */
  latest: z.number(),
  /** Seq of the last own `turn/end`: the exactly-once key of a settlement. */
  endSeq: z.number().nullable(),
})
type TurnsState = z.infer<typeof stateSchema>

/** How many turns there were, and where the last one ended. */
export const turns = defineUnit({
  key: 'turns',
  stateVersion: 1,
  stateSchema,
  on: ['turn/start', 'turn/end'],
  init: (): TurnsState => ({ own: 0, latest: 0, endSeq: null }),
  apply: (state, event, ctx): TurnsState => {
    if (event.type === 'turn/start') {
      const latest = isTurn(event.data?.turn) ? event.data.turn : state.latest + 1
      return { ...state, latest, own: state.own + (isInherited(event, ctx) ? 0 : 1) }
    }
    if (event.type !== 'turn/end' || isInherited(event, ctx)) return state
    return { ...state, endSeq: event.seq }
  },
  view: state => state,
  viewSchema: stateSchema,
})

/** Turns count from 1. */
function isTurn(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}

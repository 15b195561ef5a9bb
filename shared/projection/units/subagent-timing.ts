import { z } from 'zod'
import { defineUnit, isInherited } from '../unit.ts'

const stateSchema = z.object({
  settledMs: z.number(),
  /** Start of the open turn and the last moment known in it (epoch ms). */
  open: z.object({ since: z.number(), through: z.number() }).nullable(),
})
type TimingState = z.infer<typeof stateSchema>

export const timingViewSchema = z.object({
  settledMs: z.number(),
  runningSince: z.number().nullable(),
  /** Last moment known in the open turn: where the time of a dead session stops. */
  through: z.number().nullable(),
})

/**
 * Time spent in own turns. Every descriptor resets it, keeping the open turn's start. A clock that steps back
 * counts as no time. `through` moves at the edges of steps and calls only, never per token.
 */
export const subagentTiming = defineUnit({
  key: 'subagentTiming',
  stateVersion: 1,
  stateSchema,
  on: ['subagent/descriptor', 'turn/start', 'turn/end', 'step/end', 'tool/call', 'tool/result'],
  init: (): TimingState => ({ settledMs: 0, open: null }),
  apply: (state, event, ctx) => {
    switch (event.type) {
      case 'subagent/descriptor':
        return { settledMs: 0, open: state.open }
      case 'turn/start':
        return isInherited(event, ctx)
          ? state
          : { settledMs: state.settledMs, open: { since: event.time, through: event.time } }
      case 'step/end':
      case 'tool/call':
      case 'tool/result':
        return state.open === null || event.time <= state.open.through
          ? state
          : { settledMs: state.settledMs, open: { since: state.open.since, through: event.time } }
      case 'turn/end': {
        if (state.open === null) return state
        const spent = Math.max(0, event.time - state.open.since)
        return { settledMs: Math.min(state.settledMs + spent, Number.MAX_SAFE_INTEGER), open: null }
      }
      default:
        return state
    }
  },
  view: ({ settledMs, open }) => ({
    settledMs,
    runningSince: open?.since ?? null,
    through: open?.through ?? null,
  }),
  viewSchema: timingViewSchema,
})

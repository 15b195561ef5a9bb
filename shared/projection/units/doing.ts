import { z } from 'zod'
import { asText } from '../../session/json.ts'
import { toolLine } from '../../session/tool-line.ts'
import { defineUnit, isInherited } from '../unit.ts'

const doingSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('thinking'), since: z.number() }),
  z.object({ kind: z.literal('tool'), verb: z.string(), target: z.string(), since: z.number() }),
  /** The question a person has to answer. */
  z.object({ kind: z.literal('asking'), verb: z.string(), target: z.string(), since: z.number() }),
])
export type Doing = z.infer<typeof doingSchema>

const stateSchema = z.object({
  since: z.number().nullable(),
  /** Calls under way and questions open, oldest first. */
  calls: z.array(
    z.object({
      id: z.string(),
      asking: z.boolean(),
      verb: z.string(),
      target: z.string(),
      since: z.number(),
    }),
  ),
})
type DoingState = z.infer<typeof stateSchema>

/** What a session does now: an open question first, else its newest call. `null` between turns. */
export const doing = defineUnit({
  key: 'doing',
  stateVersion: 1,
  stateSchema,
  on: ['turn/start', 'turn/end', 'approval/asked', 'approval/decided', 'tool/call', 'tool/result'],
  init: (): DoingState => ({ since: null, calls: [] }),
  apply: (state, event, ctx) => {
    if (isInherited(event, ctx)) return state
    switch (event.type) {
      case 'turn/start':
        return { since: event.time, calls: [] }
      case 'turn/end':
        return { since: null, calls: [] }
      case 'approval/asked':
      case 'tool/call': {
        const id = asText(event.data?.callId)
        const line = toolLine(asText(event.data?.name), event.data?.input)
        const call = { id, asking: event.type === 'approval/asked', ...line, since: event.time }
        return { since: state.since, calls: [...without(state.calls, id), call] }
      }
      case 'approval/decided':
      case 'tool/result': {
        const calls = without(state.calls, event.data?.callId)
        return calls === state.calls ? state : { since: state.since, calls }
      }
      default:
        return state
    }
  },
  view: ({ since, calls }): Doing | null => {
    if (since === null) return null
    const shown = calls.find(call => call.asking) ?? calls.at(-1)
    if (shown === undefined) return { kind: 'thinking', since }
    const { asking, verb, target } = shown
    return { kind: asking ? 'asking' : 'tool', verb, target, since: shown.since }
  },
  viewSchema: doingSchema.nullable(),
})

/** The same list where that call is not in it, as is usual for one that begins. */
function without(calls: DoingState['calls'], id: unknown): DoingState['calls'] {
  return calls.some(call => call.id === id) ? calls.filter(call => call.id !== id) : calls
}

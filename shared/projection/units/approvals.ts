import { z } from 'zod'
import { toolClassSchema } from '../../session/events.ts'
import { type Json, lossOf } from '../../session/json.ts'
import { defineUnit, isInherited } from '../unit.ts'

export const openApprovalSchema = z.object({
  approvalId: z.string(),
  callId: z.string(),
  name: z.string(),
  toolClass: toolClassSchema,
  /** Looked through without recursion, since it may nest deeply. */
  input: z.custom<Json>(value => lossOf(value) === null),
  pattern: z.string(),
  since: z.number(),
  seq: z.number(),
})
export type OpenApproval = z.infer<typeof openApprovalSchema>

const stateSchema = z.array(openApprovalSchema)

/** Questions that still wait for a person, oldest first. The end of the turn closes them. */
export const approvals = defineUnit({
  key: 'approvals',
  stateVersion: 1,
  stateSchema,
  on: ['approval/asked', 'approval/decided', 'turn/start', 'turn/end'],
  init: (): OpenApproval[] => [],
  apply: (state, event, ctx) => {
    if (isInherited(event, ctx)) return state
    switch (event.type) {
      case 'approval/asked': {
        const parsed = openApprovalSchema.safeParse({ ...event.data, since: event.time, seq: event.seq })
        return parsed.success ? [...state, parsed.data] : state
      }
      case 'approval/decided':
        return state.some(open => open.approvalId === event.data?.approvalId)
          ? state.filter(open => open.approvalId !== event.data?.approvalId)
          : state
      case 'turn/start':
      case 'turn/end':
        return state.length === 0 ? state : []
      default:
        return state
    }
  },
  view: state => state,
  viewSchema: stateSchema,
})

import { z } from 'zod'
import { readApprovalMode, storedApprovalModeSchema } from '../../session/approval-mode.ts'
import { modelRouteSchema } from '../../session/events.ts'
import { descriptorSchema, parseDescriptor } from '../../subagent/descriptor.ts'
import { defineUnit, isInherited } from '../unit.ts'

const stateSchema = z.object({
  /** Of several own descriptors the first, as its creator meant it; `null` for a root. */
  descriptor: descriptorSchema.nullable(),
  /** The last route recorded, `null` when there is none. */
  route: modelRouteSchema.nullable(),
  approvalMode: storedApprovalModeSchema,
})

/** What a session's own record says about the agent it belongs to. Nothing of it comes from a parent. */
export type IdentityRecord = z.infer<typeof stateSchema>

/** What a resume restores, folded from the own suffix only (contracts §7). */
export const identityRecord = defineUnit({
  key: 'identityRecord',
  stateVersion: 1,
  stateSchema,
  on: ['subagent/descriptor', 'request/header', 'model/changed', 'approval/policy'],
  init: (): IdentityRecord => ({ descriptor: null, route: null, approvalMode: 'ask' }),
  apply: (state, event, ctx): IdentityRecord => {
    if (isInherited(event, ctx)) return state
    switch (event.type) {
      case 'subagent/descriptor': {
        const parsed = parseDescriptor(event.data)
        if (state.descriptor !== null || parsed.kind !== 'descriptor') return state
        return {
          ...state,
          descriptor: parsed.descriptor,
          route: state.route ?? describedRoute(parsed.descriptor),
        }
      }
      case 'request/header':
      case 'model/changed': {
        const route = modelRouteSchema.safeParse(event.data?.route)
        return route.success ? { ...state, route: route.data } : state
      }
      case 'approval/policy':
        return { ...state, approvalMode: readApprovalMode(event.data?.mode) }
      default:
        return state
    }
  },
  view: state => state,
  viewSchema: stateSchema,
})

function describedRoute(descriptor: NonNullable<IdentityRecord['descriptor']>): IdentityRecord['route'] {
  if (descriptor.mode !== 'continuable') return null
  const { agentProvider: provider, agentModel: model } = descriptor
  return provider === undefined || model === undefined ? null : { provider, model }
}

import { z } from 'zod'
import { parseDescriptor } from '../../subagent/descriptor.ts'
import { defineUnit, isInherited } from '../unit.ts'

const identitySchema = z.discriminatedUnion('mode', [
  z.object({ mode: z.literal('one-shot'), label: z.string().optional(), seq: z.number() }),
  z.object({ mode: z.literal('continuable'), label: z.string(), seq: z.number() }),
])
/** `seq` is the descriptor event's: at or past `seedLength` it proves the identity is the session's own. */
export type SubagentIdentity = z.infer<typeof identitySchema>

const stateSchema = z.object({
  identity: identitySchema.nullable(),
  /** Descriptors in the own suffix: more than one is a warning. */
  own: z.number(),
  /** Why `identity` is null. */
  absence: z.enum(['missing', 'malformed', 'version']).nullable(),
})
export type SubagentState = z.infer<typeof stateSchema>

/**
 * The only fold of a child's identity. The last descriptor of the whole log wins; one that is malformed or of
 * another version resets to `null`, so that a fork does not keep an identity its own descriptor cannot stand up.
 */
export const subagent = defineUnit({
  key: 'subagent',
  stateVersion: 2,
  stateSchema,
  on: ['subagent/descriptor'],
  init: (): SubagentState => ({ identity: null, own: 0, absence: 'missing' }),
  apply: (state, event, ctx) => {
    const own = state.own + (isInherited(event, ctx) ? 0 : 1)
    const parsed = parseDescriptor(event.data)
    if (parsed.kind !== 'descriptor') return { identity: null, own, absence: parsed.kind }
    const { mode, label } = parsed.descriptor
    const { seq } = event
    if (mode === 'continuable') return { identity: { mode, label, seq }, own, absence: null }
    return { identity: { mode, ...(label !== undefined && { label }), seq }, own, absence: null }
  },
  view: state => state.identity,
  viewSchema: identitySchema.nullable(),
})

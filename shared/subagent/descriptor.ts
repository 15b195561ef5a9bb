import { z } from 'zod'

const name = z.string().min(1)

export const toolFilterSchema = z
  .strictObject({ allow: z.array(name).optional(), deny: z.array(name).optional() })
  .refine(filter => filter.allow !== undefined || filter.deny !== undefined, {
    message: 'a tool filter needs allow or deny',
  })
export type ToolFilter = z.infer<typeof toolFilterSchema>

const version = z.literal(2)

export const descriptorSchema = z.discriminatedUnion('mode', [
  z.strictObject({ version, mode: z.literal('one-shot'), provider: name, label: z.string().optional() }),
  z.strictObject({
    version,
    mode: z.literal('continuable'),
    provider: name,
    label: name,
    agentProvider: name.optional(),
    agentModel: name.optional(),
    persona: z.string().optional(),
    toolFilter: toolFilterSchema.optional(),
  }),
])

/** A child's durable identity and what its resume needs (contracts §7). Absent fields are omitted. */
export type Descriptor = z.infer<typeof descriptorSchema>

export type ParsedDescriptor =
  | { readonly kind: 'descriptor'; readonly descriptor: Descriptor }
  | { readonly kind: 'malformed'; readonly problem: string }
  /** Written by another version: no descriptor for us, whatever else is in it. */
  | { readonly kind: 'version' }

/** The one interpreter of `subagent/descriptor` data: listing and resume share it. Never throws. */
export function parseDescriptor(data: unknown): ParsedDescriptor {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    return { kind: 'malformed', problem: 'not an object' }
  }
  const stated = 'version' in data ? data.version : undefined
  if (typeof stated !== 'number') return { kind: 'malformed', problem: 'version is not a number' }
  if (stated !== 2) return { kind: 'version' }
  const parsed = descriptorSchema.safeParse(data)
  if (parsed.success) return { kind: 'descriptor', descriptor: parsed.data }
  return { kind: 'malformed', problem: z.prettifyError(parsed.error) }
}

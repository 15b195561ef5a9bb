import { z } from 'zod'

const id = z.string().min(1).max(64)
const headers = z.record(z.string(), z.union([z.string(), z.array(z.string())]))

/**
 * The outer shape of what a peer may send: a request, a piece of a streamed input, or a cancellation. oRPC trusts
 * this shape and fails in odd places without it. Inputs are checked later, against the contract.
 */
const envelopeSchema = z.union([
  z.object({
    i: id,
    t: z.literal(1).optional(),
    p: z.object({
      u: z.string().regex(/^\/[\w/-]{1,200}$/),
      b: z.unknown().optional(),
      h: headers.optional(),
      m: z.literal('POST').optional(),
    }),
  }),
  z.object({
    i: id,
    t: z.literal(3),
    p: z.object({
      e: z.enum(['message', 'error', 'done']),
      d: z.unknown().optional(),
      m: z.unknown().optional(),
    }),
  }),
  z.object({ i: id, t: z.literal(4), p: z.unknown().optional() }),
])

export type Envelope = { readonly id: string; readonly kind: 'request' | 'piece' | 'cancel' }

/** `null` for anything that is not a message of the contract's peers. Only text: nothing in the contract is binary. */
export function readEnvelope(message: unknown): Envelope | null {
  if (typeof message !== 'string') return null
  const parsed = envelopeSchema.safeParse(parseJson(message))
  if (!parsed.success) return null
  const { i, t } = parsed.data
  if (t === 3) return { id: i, kind: 'piece' }
  return { id: i, kind: t === 4 ? 'cancel' : 'request' }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not JSON: no envelope either
  }
}

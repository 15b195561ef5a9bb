import { z } from 'zod'

/**
 * What is wrong with a stored log. `damaged-tail`: nothing readable behind it, the prefix is served. The other
 * two have readable events behind them: a listing fails for that child, a window opens both sides.
 */
export const damageSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('damaged-tail'), fromSeq: z.number(), lost: z.number() }),
  z.object({ kind: z.literal('log-gap'), fromSeq: z.number(), toSeq: z.number() }),
  z.object({ kind: z.literal('log-undecodable'), seq: z.number() }),
])
export type Damage = z.infer<typeof damageSchema>

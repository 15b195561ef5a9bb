import { z } from 'zod'
import { sessionIdSchema } from './session/ids.ts'

const label = z.string().min(1).max(40)

/** The one button of a banner: its label in a few plain words, and what the window does when it is pressed. */
export const bannerActionSchema = z.discriminatedUnion('call', [
  /** Asks whether this backup is to take the place of what is there; `name` as `backups.list` gives it. */
  z.object({ call: z.literal('restore-backup'), label, name: z.string().min(1) }),
  /** The page that says what uses space, with trash and backups. */
  z.object({ call: z.literal('open-storage'), label }),
  /** What is wrong with one record. */
  z.object({ call: z.literal('open-diagnostics'), label, sessionId: sessionIdSchema }),
  /** Calls the function that the banner was raised with. */
  z.object({ call: z.literal('retry'), label }),
])
export type BannerAction = z.infer<typeof bannerActionSchema>

/** A state of the host that people must know: plain text, one or two sentences, at most one button. */
export const bannerSchema = z.object({
  /** `alert`: something is to be done. `status`: it is only to be known. */
  level: z.enum(['alert', 'status']),
  text: z.string().min(1),
  action: bannerActionSchema.optional(),
  /** A person may put it away, in all windows. Absent: it goes when its cause does. */
  dismissible: z.literal(true).optional(),
})
export type Banner = z.infer<typeof bannerSchema>

import { z } from 'zod'

/** What an agent does without asking, from the least to the most. */
export const APPROVAL_MODES = ['read-only', 'ask', 'accept-edits', 'workspace', 'unattended'] as const
export const approvalModeSchema = z.enum(APPROVAL_MODES)
export type ApprovalMode = z.infer<typeof approvalModeSchema>

/** As files and logs have it: until version 3 there were two, and `allow` was what is `workspace` now. */
export const storedApprovalModeSchema = approvalModeSchema.or(
  z.literal('allow').transform((): ApprovalMode => 'workspace'),
)

/** What a record says, in whatever words; what is not understood asks. */
export function readApprovalMode(value: unknown): ApprovalMode {
  const parsed = storedApprovalModeSchema.safeParse(value)
  return parsed.success ? parsed.data : 'ask'
}

/** As people read them: a name of two words, and what it means. */
export const APPROVAL_MODE_WORDS: Readonly<
  Record<ApprovalMode, { readonly name: string; readonly meaning: string }>
> = {
  'read-only': {
    name: 'Read only',
    meaning: 'It reads, and is refused whatever writes, runs a command or uses the network',
  },
  ask: { name: 'Ask first', meaning: 'It asks before it writes, runs a command or uses the network' },
  'accept-edits': {
    name: 'Edit freely',
    meaning: 'It changes files in its folder unasked; commands and the network ask',
  },
  workspace: {
    name: 'Free in folder',
    meaning: 'It writes, runs commands and uses the network unasked; files outside its folder ask',
  },
  unattended: { name: 'Unattended', meaning: 'It asks only before it writes a file outside its folder' },
}

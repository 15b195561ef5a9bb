import { type SessionId, sessionIdSchema } from '#shared/session/ids.ts'

export const DEEP_LINK_SCHEME = 'espalier'
const LONGEST_LINK = 200

/** `espalier://session/<id>` and nothing else. Such a link navigates; it never starts or resumes anything. */
export function parseDeepLink(text: string): SessionId | null {
  if (text.length > LONGEST_LINK) return null
  const [, id] = /^espalier:\/\/session\/([^/?#]+)\/?$/.exec(text) ?? []
  const parsed = sessionIdSchema.safeParse(id)
  return parsed.success ? parsed.data : null
}

/** The last good link among the arguments a process was started with. */
export function findDeepLink(args: readonly string[]): SessionId | null {
  return args.map(parseDeepLink).findLast(id => id !== null) ?? null
}

import type { Watch } from '#shared/frames.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'

/** What a window shows or lists: roots always, children of listed parents, and what is open. */
export class LookedAt {
  readonly open: ReadonlySet<SessionId>
  readonly #listed: ReadonlySet<SessionId>

  constructor({ open, listed }: Watch) {
    this.open = new Set(open)
    this.#listed = new Set(listed)
  }

  includes({ id, origin, parentSession }: SessionHeader): boolean {
    if (origin === undefined || this.open.has(id)) return true
    return parentSession !== undefined && this.#listed.has(parentSession)
  }
}

import type { SessionId } from '#shared/session/ids.ts'

const PREFIX = 'espalier.draft.'

/** What was typed and not sent, by session. A convenience: without a storage drafts live as long as the window. */
export interface Drafts {
  get(id: SessionId): string
  set(id: SessionId, text: string): void
}

export function createDrafts(storage: Storage | null): Drafts {
  const typed = new Map<SessionId, string>()
  return {
    get: id => typed.get(id) ?? storage?.getItem(PREFIX + id) ?? '',
    set: (id, text) => {
      typed.set(id, text)
      try {
        if (text === '') storage?.removeItem(PREFIX + id)
        else storage?.setItem(PREFIX + id, text)
      } catch {
        // The storage is full or forbidden: the draft stays in memory, as promised.
      }
    },
  }
}

export const drafts = createDrafts(readStorage())

function readStorage(): Storage | null {
  try {
    return globalThis.localStorage ?? null
  } catch {
    // A page that may not keep anything throws on the mere question.
    return null
  }
}

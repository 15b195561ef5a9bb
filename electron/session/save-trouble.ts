import { messageOf } from '#shared/errors.ts'
import { type MediumFault, mediumFault, systemCodeOf } from '../store/medium.ts'

/** Why what was said cannot be saved at the moment. */
export interface SaveTrouble {
  /** `slow`: a write neither failed nor ended. `unknown`: the store gave up for a reason of its own. */
  readonly kind: MediumFault | 'slow' | 'unknown'
  /** For the log: the code of SQLite or of the system where there is one, and what was said. */
  readonly detail: string
}

export const SLOW: SaveTrouble = { kind: 'slow', detail: 'a write is under way and has not ended' }

export function troubleOf(error: unknown): SaveTrouble {
  const code = systemCodeOf(error)
  const kind = (code === null ? null : mediumFault(code)) ?? 'unknown'
  return { kind, detail: code === null ? messageOf(error) : `${code}: ${messageOf(error)}` }
}

/** What a person is told while it lasts: what happened, what still holds, what they can do. */
export function troubleText({ kind }: SaveTrouble): string {
  const { what, todo } = TEXTS[kind]
  return `${what} Nothing is lost while Espalier stays open; agents wait. ${todo}`
}

const TEXTS: Readonly<Record<SaveTrouble['kind'], { readonly what: string; readonly todo: string }>> = {
  full: {
    what: 'The disk is full: what happens now cannot be saved.',
    todo: 'Free some space where the data folder is; saving then goes on by itself.',
  },
  'read-only': {
    what: 'The data folder cannot be written to: what happens now cannot be saved.',
    todo: 'Make it writable again; saving then goes on by itself.',
  },
  locked: {
    what: 'Another program has locked the session database: what happens now cannot be saved yet.',
    todo: 'Saving goes on by itself when that program lets go of it or is closed.',
  },
  damaged: {
    what: 'The session database is damaged: what happens now cannot be saved.',
    todo: 'Copy what you need from the open sessions; the next start rescues what can be read.',
  },
  failing: {
    what: 'The disk refuses to be written to: what happens now cannot be saved.',
    todo: 'Check the disk, its quota and its connection; saving goes on by itself when it answers again.',
  },
  slow: {
    what: 'Saving takes unusually long: the disk has not answered for a while.',
    todo: 'If this does not pass, see whether the disk of the data folder is busy or disconnected.',
  },
  unknown: {
    what: 'What happens now cannot be saved.',
    todo: 'Saving is tried again every second.',
  },
}

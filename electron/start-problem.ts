import { messageOf } from '#shared/errors.ts'
import { MEDIUM_SENTENCES, type MediumFault, mediumFault, systemCodeOf } from './store/medium.ts'
import type { ViewReason } from './store/open-or-view.ts'

/** Why Espalier did not start, for people: what is wrong, and what to do about it. One line, never a stack. */
export function startProblem(error: unknown, dataFolder: string): string {
  const code = systemCodeOf(error)
  const fault = code === null ? null : mediumFault(code)
  if (code === null || fault === null) return messageOf(error)
  return `${MEDIUM_SENTENCES[fault]} ${TODO[fault](dataFolder)} (${code})`
}

const TODO: Readonly<Record<MediumFault, (dataFolder: string) => string>> = {
  full: folder => `Nothing was changed. Free some space where ${folder} is, and start again.`,
  'read-only': folder => `Make ${folder} writable, or choose another folder with --home.`,
  locked: folder =>
    `Close the program that uses ${folder} (a database viewer, a backup, a sync tool), and start again.`,
  damaged: folder => `Nothing was deleted. "espalier doctor --home ${folder}" says what is wrong.`,
  failing: folder => `Check the disk of ${folder} and its connection, and start again.`,
}

/** What a window says all the while when sessions could be opened for reading only. */
export const VIEW_TEXTS: Readonly<Record<ViewReason | 'newer', string>> = {
  full: 'The disk is full: your sessions can be read as they were when Espalier started, and nothing can be changed. Free some space where the data folder is, and start Espalier again.',
  'read-only':
    'The data folder can only be read: your sessions can be looked at, and nothing can be changed. Make it writable, and start Espalier again.',
  newer:
    'These sessions were written by a newer Espalier: they can be looked at, and nothing can be changed. Update Espalier to go on with them.',
}

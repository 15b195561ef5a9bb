/** What can be wrong with the medium that keeps the sessions, as far as a person can do something about it. */
export type MediumFault = 'full' | 'read-only' | 'locked' | 'damaged' | 'failing'

/**
 * What a code of SQLite's (`SQLITE_FULL`) or of the file system (`ENOSPC`) says about the medium; `null` for one
 * that says nothing about it.
 */
export function mediumFault(code: string): MediumFault | null {
  if (FULL.has(code)) return 'full'
  if (code === 'SQLITE_READONLY_DBMOVED') return 'failing'
  if (code.startsWith('SQLITE_READONLY') || READ_ONLY.has(code)) return 'read-only'
  if (/^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(code)) return 'locked'
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return 'damaged'
  return code.startsWith('SQLITE_IOERR') || FAILING.has(code) ? 'failing' : null
}

/** SQLite meets a full disk as `SHMSIZE` too: when it makes the file that its readers share. */
const FULL: ReadonlySet<string> = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT'])
/** In a folder that may not be written to, SQLite cannot open the files beside the database. */
const READ_ONLY: ReadonlySet<string> = new Set(['SQLITE_CANTOPEN', 'SQLITE_PERM', 'EROFS', 'EACCES', 'EPERM'])
const FAILING: ReadonlySet<string> = new Set([
  'EIO',
  'EFBIG',
  'ENXIO',
  'ENODEV',
  'ESTALE',
  'ENOTCONN',
  'ETIMEDOUT',
])

/** What happened, for whoever meets it at a start or in an answer. One sentence each. */
export const MEDIUM_SENTENCES: Readonly<Record<MediumFault, string>> = {
  full: 'The disk is full.',
  'read-only': 'The data folder cannot be written to.',
  locked: 'Another program has locked the session database.',
  damaged: 'The session database is damaged.',
  failing: 'The disk answered with an error.',
}

/** The same for any failure to read or write, in one sentence. */
export function mediumSentence(error: unknown): string {
  const code = systemCodeOf(error)
  const fault = code === null ? null : mediumFault(code)
  return fault === null ? 'The disk cannot be read or written.' : MEDIUM_SENTENCES[fault]
}

/** The exact code that an error, or what caused it, came with: `SQLITE_FULL`, `ENOSPC`. */
export function systemCodeOf(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string' && mediumFault(at.code) !== null) return at.code
  }
  return null
}

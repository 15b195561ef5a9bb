import type { SessionHeader } from '#shared/session/header.ts'
import { isSessionId } from '#shared/session/ids.ts'
import type { LogRow } from '../logs.ts'
import { type ReadHeader, readHeaderFacts } from '../read-header.ts'
import { ODD_HEADER } from './migrations.ts'

/** A row of the session table as it is read: what disk says, unchecked. */
export interface SessionRow extends LogRow {
  readonly version: unknown
  readonly created_at: unknown
  readonly cwd: unknown
  readonly parent_session: unknown
  readonly seed_length: unknown
  readonly origin: unknown
  readonly delegation_depth: unknown
  readonly preset: unknown
}

/** Of `session s`. An unreadable or empty record is nobody's child (contracts §2). */
export const SESSION_COLUMNS = `
  s.key, s.id, s.version, s.created_at, s.cwd, s.parent_session, s.seed_length, s.origin, s.delegation_depth,
  s.preset, s.end_seq, s.last_time, s.cuts, s.archived,
  EXISTS (SELECT 1 FROM (SELECT * FROM session c WHERE c.parent_session = s.id AND c.origin = 'subagent'
    AND c.trashed_at IS NULL AND c.end_seq > 0) WHERE NOT ${ODD_HEADER}) AS has_children`

export function readHeader(row: SessionRow): ReadHeader {
  const header = soundHeader(row)
  if (header !== null) return { kind: 'header', header }
  return readHeaderFacts({
    version: row.version,
    id: row.id,
    createdAt: row.created_at,
    ...present('cwd', row.cwd),
    ...present('parentSession', row.parent_session),
    ...present('seedLength', row.seed_length),
    ...present('origin', row.origin),
    ...present('delegationDepth', row.delegation_depth),
    ...present('preset', row.preset),
  })
}

/** The header of a row that is plainly well, as the schema would give it. `null` leaves the word to the schema. */
function soundHeader(row: SessionRow): SessionHeader | null {
  const { version, id, created_at: createdAt, cwd, parent_session: parentSession, origin, preset } = row
  const { seed_length: seedLength, delegation_depth: delegationDepth } = row
  if (version !== 1 || !isSessionId(id) || !isCount(createdAt)) return null
  if (cwd !== null && typeof cwd !== 'string') return null
  if (parentSession !== null && !isSessionId(parentSession)) return null
  if (seedLength !== null && !isCount(seedLength)) return null
  if (origin !== null && origin !== 'subagent') return null
  if (delegationDepth !== null && !isCount(delegationDepth)) return null
  if (preset !== null && (typeof preset !== 'string' || preset === '')) return null
  return {
    version,
    id,
    createdAt,
    ...(cwd !== null && { cwd }),
    ...(parentSession !== null && { parentSession }),
    ...(seedLength !== null && { seedLength }),
    ...(origin !== null && { origin }),
    ...(delegationDepth !== null && { delegationDepth }),
    ...(preset !== null && { preset }),
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function present(name: string, value: unknown): Record<string, unknown> {
  return value === null ? {} : { [name]: value }
}

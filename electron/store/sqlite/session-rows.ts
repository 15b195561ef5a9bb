import { WorkbenchError } from '#shared/errors.ts'
import { type SessionHeader, sessionHeaderSchema } from '#shared/session/header.ts'
import type { StoredSession } from '../persistence.ts'
import { ODD_HEADER } from './migrations.ts'

/** A row of the session table as it is read: what disk says, unchecked. */
export interface SessionRow {
  readonly key: number
  readonly id: string
  readonly version: unknown
  readonly created_at: unknown
  readonly cwd: unknown
  readonly parent_session: unknown
  readonly seed_length: unknown
  readonly origin: unknown
  readonly delegation_depth: unknown
  readonly preset: unknown
  readonly end_seq: number
  readonly last_time: unknown
  readonly cuts: number
  readonly archived: number
  readonly has_children: number
}

/** Of `session s`. An unreadable or empty record is nobody's child (contracts §2). */
export const SESSION_COLUMNS = `
  s.key, s.id, s.version, s.created_at, s.cwd, s.parent_session, s.seed_length, s.origin, s.delegation_depth,
  s.preset, s.end_seq, s.last_time, s.cuts, s.archived,
  EXISTS (SELECT 1 FROM (SELECT * FROM session c WHERE c.parent_session = s.id AND c.origin = 'subagent'
    AND c.trashed_at IS NULL AND c.end_seq > 0) WHERE NOT ${ODD_HEADER}) AS has_children`

export type ReadHeader =
  | { readonly kind: 'header'; readonly header: SessionHeader }
  | {
      readonly kind: 'unreadable'
      readonly code: 'SESSION_VERSION' | 'SESSION_DAMAGED'
      readonly problem: string
    }

export function readHeader(row: SessionRow): ReadHeader {
  if (row.version !== 1)
    return { kind: 'unreadable', code: 'SESSION_VERSION', problem: versionProblem(row.version) }
  const parsed = sessionHeaderSchema.safeParse({
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
  if (parsed.success) return { kind: 'header', header: parsed.data }
  const fields = [...new Set(parsed.error.issues.map(issue => issue.path.join('.')))].join(', ')
  return { kind: 'unreadable', code: 'SESSION_DAMAGED', problem: `Its header cannot be read (${fields}).` }
}

/** @throws WorkbenchError `SESSION_VERSION` or `SESSION_DAMAGED`. */
export function headerOf(row: SessionRow): SessionHeader {
  const read = readHeader(row)
  if (read.kind === 'header') return read.header
  throw new WorkbenchError(read.code, `Session ${row.id} cannot be opened. ${read.problem}`)
}

export function storedSession(row: SessionRow, header: SessionHeader): StoredSession {
  return {
    header,
    endSeq: row.end_seq,
    archived: row.archived === 1,
    hasSubagentChildren: row.has_children === 1,
    lastActivity: typeof row.last_time === 'number' ? row.last_time : header.createdAt,
  }
}

function present(name: string, value: unknown): Record<string, unknown> {
  return value === null ? {} : { [name]: value }
}

function versionProblem(version: unknown): string {
  if (typeof version !== 'number') return 'Its header states no version.'
  return version > 1
    ? 'It was written by a newer version of Espalier.'
    : 'Its format is older than any we can read.'
}

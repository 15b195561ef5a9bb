import { WorkbenchError } from '#shared/errors.ts'
import { type SessionHeader, sessionHeaderSchema } from '#shared/session/header.ts'

export type ReadHeader =
  | { readonly kind: 'header'; readonly header: SessionHeader }
  | {
      readonly kind: 'unreadable'
      readonly code: 'SESSION_VERSION' | 'SESSION_DAMAGED'
      readonly problem: string
    }

/** The facts of a header as they are stored, unchecked. A version other than ours is told apart from damage. */
export function readHeaderFacts(facts: Readonly<Record<string, unknown>>): ReadHeader {
  if (facts['version'] !== 1)
    return { kind: 'unreadable', code: 'SESSION_VERSION', problem: versionProblem(facts['version']) }
  const parsed = sessionHeaderSchema.safeParse(facts)
  if (parsed.success) return { kind: 'header', header: parsed.data }
  const { issues } = parsed.error
  const fields = issues.flatMap(issue =>
    issue.code === 'unrecognized_keys' ? issue.keys : issue.path.join('.'),
  )
  return unreadableHeader(`Its header cannot be read (${[...new Set(fields)].join(', ')}).`)
}

export function unreadableHeader(problem: string): ReadHeader {
  return { kind: 'unreadable', code: 'SESSION_DAMAGED', problem }
}

/** @throws WorkbenchError `SESSION_VERSION` or `SESSION_DAMAGED`. */
export function headerOrThrow(id: string, read: ReadHeader): SessionHeader {
  if (read.kind === 'header') return read.header
  throw new WorkbenchError(read.code, `Session ${id} cannot be opened. ${read.problem}`)
}

function versionProblem(version: unknown): string {
  if (typeof version !== 'number') return 'Its header states no version.'
  return version > 1
    ? 'It was written by a newer version of Espalier.'
    : 'Its format is older than any we can read.'
}

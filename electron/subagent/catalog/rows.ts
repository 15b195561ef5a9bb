import { lifecycleFacts } from '#shared/session/header.ts'
import type { Json } from '#shared/session/json.ts'
import type {
  Activity,
  ChildWarning,
  ListExtra,
  SessionFacts,
  SubagentListEntry,
} from '#shared/subagent/catalog-entry.ts'
import { FACTS_KEY, factsOf } from '#shared/subagent/facts.ts'
import type { Candidate } from './candidates.ts'
import type { Reading } from './reading.ts'

/**
 * The row of one candidate, or none for a live one that has not said yet what it is. Without extras the row is
 * exactly the seeds': extras add keys and change nothing.
 */
export function toRow(
  candidate: Candidate,
  reading: Reading,
  extras: ReadonlySet<ListExtra>,
): SubagentListEntry | null {
  if (reading.kind === 'creating') return null
  const { header, hasChildren } = candidate
  if (reading.kind !== 'identity') {
    const row = { kind: 'diagnostic' as const, id: header.id, reason: reading.kind }
    return extras.has('detail') ? { ...row, ...detailOf(reading) } : row
  }
  const { identity, values } = reading
  const warnings = extras.has('warnings') ? warningsOf(candidate, reading) : []
  const row = {
    kind: 'child' as const,
    id: header.id,
    activity: activityOf(candidate),
    hasChildren,
    ...(extras.has('facts') && { facts: factsIn(candidate, values) }),
    ...(warnings.length > 0 && { warnings }),
  }
  if (identity.mode === 'continuable') return { ...row, mode: identity.mode, label: identity.label }
  return { ...row, mode: identity.mode, ...(identity.label !== undefined && { label: identity.label }) }
}

/** Why, and by what a person knows it where that can be read. */
function detailOf({ detail, identity, values }: Extract<Reading, { readonly detail: unknown }>) {
  const title = values['title']
  return {
    detail,
    ...(identity?.label !== undefined && { label: identity.label }),
    ...(typeof title === 'string' && { title }),
  }
}

/** Whether this process hosts it, at the moment of the cut. */
function activityOf({ live }: Candidate): Activity {
  return live === null ? 'inactive' : 'running'
}

/** A checkpoint was asked for the facts; a fold gives the projections that they are made of. */
function factsIn(candidate: Candidate, values: Readonly<Record<string, Json>>): SessionFacts {
  const { header } = candidate
  const made = values[FACTS_KEY] as SessionFacts | undefined
  if (made === undefined) return factsOf(header, values, activityOf(candidate))
  return header.preset === undefined ? made : { ...made, preset: header.preset }
}

function warningsOf(candidate: Candidate, reading: Extract<Reading, { kind: 'identity' }>): ChildWarning[] {
  const { header, storedHeader } = candidate
  const warnings: ChildWarning[] = []
  if ((reading.state?.own ?? 0) > 1) warnings.push('several-descriptors')
  if (reading.identity.seq < (header.seedLength ?? 0)) warnings.push('identity-from-seed')
  if (reading.damage.some(damage => damage.kind === 'damaged-tail')) warnings.push('damaged-tail')
  if (storedHeader !== null && lifecycleFacts(storedHeader) !== lifecycleFacts(header))
    warnings.push('header-conflict')
  return warnings
}

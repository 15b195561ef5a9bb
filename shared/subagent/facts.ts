import { tokensOf } from '../projection/units/usage.ts'
import type { ProjectionValues } from '../projection/units.ts'
import type { SessionHeader } from '../session/header.ts'
import type { Json } from '../session/json.ts'
import { coldOutcome } from '../session/outcome.ts'
import type { SessionFacts } from './catalog-entry.ts'

/** The projections that facts are made of. */
export const FACT_KEYS = ['outcome', 'subagentTiming', 'usage', 'lastMessage', 'approvals'] as const

/** Asks a checkpoint read for the facts themselves instead of the projections they are made of. */
export const FACTS_KEY = 'facts'

/**
 * What a row may say beyond its identity. Values that are not known are left out. Read cold, nothing is shown as
 * running: the time of an open turn stops at its last known moment.
 */
export function factsOf(
  header: Pick<SessionHeader, 'preset'>,
  published: Readonly<Record<string, Json>>,
  activity: 'running' | 'inactive',
): SessionFacts {
  // The values passed their view schemas where they were published.
  const values = published as ProjectionValues
  const isLive = activity === 'running'
  const { outcome, subagentTiming: timing, usage, lastMessage, approvals } = values
  return {
    ...(outcome !== undefined && { outcome: isLive ? outcome : coldOutcome(outcome) }),
    ...(timing && { timing: isLive ? liveTiming(timing) : coldTiming(timing) }),
    ...(usage && { tokens: tokensOf(usage.own), costUsd: usage.own.costUsd, model: usage.model }),
    ...(lastMessage !== undefined && { lastActivity: lastMessage?.time ?? null }),
    ...(approvals && { openApprovals: approvals.length }),
    ...(header.preset !== undefined && { preset: header.preset }),
  }
}

type Timing = NonNullable<ProjectionValues['subagentTiming']>

function liveTiming({ settledMs, runningSince }: Timing): NonNullable<SessionFacts['timing']> {
  return { settledMs, runningSince }
}

function coldTiming({ settledMs, runningSince, through }: Timing): NonNullable<SessionFacts['timing']> {
  const open = runningSince === null || through === null ? 0 : Math.max(0, through - runningSince)
  return { settledMs: Math.min(settledMs + open, Number.MAX_SAFE_INTEGER), runningSince: null }
}

import type { SubagentDescendantEntry } from '#shared/subagent/catalog-entry.ts'

export interface TreeTotals {
  readonly children: number
  readonly tokens: number
  /** `null`: the price of at least one is not known. */
  readonly costUsd: number | null
}

/** What everything below a session used, as far as it is known. */
export function totalsOf(entries: readonly SubagentDescendantEntry[]): TreeTotals {
  let tokens = 0
  let costUsd: number | null = 0
  for (const entry of entries) {
    if (entry.kind !== 'child') continue
    tokens += entry.facts?.tokens ?? 0
    const cost: number | null | undefined = entry.facts?.costUsd
    const spent = (entry.facts?.tokens ?? 0) > 0
    costUsd =
      costUsd === null || (spent && (cost === null || cost === undefined)) ? null : costUsd + (cost ?? 0)
  }
  return { children: entries.length, tokens, costUsd }
}

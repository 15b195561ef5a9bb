/** Everything that a sudden death may not do, each counted by itself. */
export const FAULTS = [
  /** Promised and not there. */
  'lost',
  /** There, with other bytes than were promised. */
  'altered',
  'duplicates',
  'holes',
  /** A log that shows damage, or that a resume refuses. */
  'unloadable',
  /** A call without exactly one true statement of what became of it. */
  'misstated',
  'ranTwice',
  /** The world shows what no log does. */
  'undeclared',
  'checkpointsAhead',
  /** Checkpoint and tail say something else than the whole log. */
  'foldsApart',
  /** A row that looks alive after its process died. */
  'alive',
  /** A continuable child that does not come back as itself. */
  'identities',
  /** The end of a child that its parent heard twice, or never. */
  'settlements',
  /** Something else that failed in a life. */
  'faults',
] as const
export type Fault = (typeof FAULTS)[number]

/** What was found, in words, with the counts of what it was found among. */
export class Verdict {
  readonly #counts = new Map<string, number>()
  readonly problems: string[] = []

  /** So many more were looked at. */
  count(what: string, more = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + more)
  }

  fault(fault: Fault, problem: string): void {
    this.count(fault)
    this.problems.push(`${fault}: ${problem}`)
  }

  /** Takes over what another has found. */
  add(other: Verdict): void {
    for (const [what, more] of other.#counts) this.count(what, more)
    this.problems.push(...other.problems)
  }

  of(what: string): number {
    return this.#counts.get(what) ?? 0
  }

  /** Every fault, also those that were not met, and every other count. */
  summary(): Record<string, number> {
    const faults = Object.fromEntries(FAULTS.map(fault => [fault, this.of(fault)]))
    return { ...Object.fromEntries(this.#counts), ...faults }
  }
}

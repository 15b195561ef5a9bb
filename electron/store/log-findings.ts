import type { Damage } from '#shared/session/inspection.ts'

/** More places of one log are only counted. */
const MOST_PLACES = 5

/** What a doctor says of one log, a sentence for each kind of damage. `who` begins it: `Session “Fix the login” (…)`. */
export function logFindings(who: string, damage: readonly Damage[]): string[] {
  const gaps = damage.filter(one => one.kind === 'log-gap')
  const undecodable = damage.filter(one => one.kind === 'log-undecodable')
  const tails = damage.filter(one => one.kind === 'damaged-tail')
  const found: string[] = []
  if (gaps.length > 0) {
    const missing = gaps.reduce((sum, { fromSeq, toSeq }) => sum + toSeq - fromSeq + 1, 0)
    const places = gaps.map(({ fromSeq, toSeq }) =>
      fromSeq === toSeq ? `${fromSeq}` : `${fromSeq} to ${toSeq}`,
    )
    found.push(
      `${who} lacks ${events(missing)} (${some(places)}): both sides can be read, it cannot be resumed.`,
    )
  }
  if (undecodable.length > 0) {
    const places = undecodable.map(({ seq }) => `${seq}`)
    found.push(
      `${who} holds ${events(undecodable.length)} that cannot be read (${some(places)}): the rest can, it cannot be resumed.`,
    )
  }
  for (const { fromSeq, lost } of tails) {
    found.push(
      `${who} has lost its last ${events(lost)}, from ${fromSeq} on: what is before can be read and resumed.`,
    )
  }
  return found
}

export function unknownTypesFinding(who: string, count: number, example: string): string {
  return `${who} holds ${events(count)} of kinds that this version does not know (${example}): it can be read, not resumed.`
}

export function events(count: number): string {
  return count === 1 ? '1 event' : `${count} events`
}

function some(places: readonly string[]): string {
  const more = places.length - MOST_PLACES
  return [...places.slice(0, MOST_PLACES), ...(more > 0 ? [`${more} more places`] : [])].join(', ')
}

/** The first `max` characters at most, never half of one: a pair that the cut would part is left out. */
export function excerpt(text: string, max: number): string {
  return text
    .slice(0, max)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed()
}

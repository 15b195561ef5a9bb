/** The provider's own words in the usual shapes of an error body. */
export function providerText(body: string | undefined): string | null {
  if (body === undefined || body.length > 100_000) return null
  const match = /"message"\s*:\s*"((?:[^"\\]|\\.){1,500})"/.exec(body)
  return match?.[1] ?? null
}

const SECRET = /\b(?:sk|pk|rk|gsk|xai)-[A-Za-z0-9*._-]{6,}|\bAIza[\w-]+|\bBearer\s+\S+|[A-Za-z0-9_-]{28,}/g

/** One short line of foreign text, without anything that looks like a key. */
export function quoted(text: string): string {
  const line = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(SECRET, '•••')
    .trim()
    .replace(/[.!]+$/, '')
  return line.length > 160 ? `${line.slice(0, 159)}…`.toWellFormed() : line.toWellFormed()
}

import type { Usage } from '#shared/session/events.ts'

/** About four characters a token, whatever the model. */
const CHARACTERS_PER_TOKEN = 4
/** A picture, whatever its size. */
const FILE_TOKENS = 1500

/** What a request that was cut short probably used: it was sent whole, and says nothing of itself. */
export function estimateUsage(sent: readonly unknown[], said: unknown): Usage {
  return {
    input: sent.reduce<number>((sum, part) => sum + tokensIn(part), 0),
    output: tokensIn(said),
    estimated: true,
  }
}

function tokensIn(value: unknown): number {
  if (typeof value === 'string') return Math.ceil(value.length / CHARACTERS_PER_TOKEN)
  if (typeof value !== 'object' || value === null) return 0
  if ('mediaType' in value) return FILE_TOKENS
  let tokens = 0
  for (const part of Object.values(value)) tokens += tokensIn(part)
  return tokens
}

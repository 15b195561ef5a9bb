const MAX_SHOWN = 120

/** Foreign text in one short line: the first with words in it, without line numbers and marks of code. */
export function shown(text: string): string {
  const lines = text.split('\n').map(line =>
    line
      .replace(/^\s*\d+\t/, '')
      .replaceAll('`', "'")
      .trim(),
  )
  const line = lines.find(candidate => /[\p{L}\p{N}]/u.test(candidate)) ?? ''
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1)}…`.toWellFormed() : line.toWellFormed()
}

/** The longest word: the likeliest to be what the message is about. */
export function wordOf(text: string): string {
  const words = text.slice(0, 2000).match(/[\p{L}\p{N}_]{2,40}/gu) ?? []
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), '') || 'the'
}

export function field(input: unknown, name: string): string {
  if (typeof input !== 'object' || input === null) return ''
  const value: unknown = Object.entries(input).find(([key]) => key === name)?.[1]
  return typeof value === 'string' ? value : ''
}

export function sentenceList(items: readonly string[]): string {
  const quoted = items.map(item => `“${item}”`)
  return quoted.length < 2
    ? (quoted[0] ?? 'nobody')
    : `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`
}

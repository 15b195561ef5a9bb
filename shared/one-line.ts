/** Whitespace that is not exactly one space: prose is full of those, and they need no change. */
const HAS_WIDE_SPACE = /[^\S ]| {2}/
const WIDE_SPACE = /[^\S ]\s*| \s+/g

/** The first `most` characters of a text on one line: any run of whitespace is one space, none at the ends. */
export function oneLine(text: string, most: number): string {
  const cut = text.slice(0, most)
  return (HAS_WIDE_SPACE.test(cut) ? cut.replaceAll(WIDE_SPACE, ' ') : cut).trim()
}

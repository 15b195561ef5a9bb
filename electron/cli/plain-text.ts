import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'

/** Control characters, and the marks that reorder what stands beside them: titles and labels are hostile text. */
const HIDDEN = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
const HIDDEN_BUT_BREAKS = /[[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]--[\n\t]]/gv

/** Text that cannot move a cursor, set a title or pretend to be another line. Line breaks and tabs stay. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replaceAll(HIDDEN_BUT_BREAKS, '')
}

/** The same on one line: white space becomes single spaces. */
export function plainLine(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\s+/g, ' ').replaceAll(HIDDEN, '').trim()
}

/** At most `columns` wide on a terminal, with an ellipsis where something was cut off. */
export function cutTo(columns: number, text: string): string {
  const line = plainLine(text.slice(0, columns * 20))
  if (stringWidth(line) <= columns) return line
  let cut = ''
  let width = 0
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    width += stringWidth(segment)
    if (width >= columns) break
    cut += segment
  }
  return `${cut}…`
}

/** Lines with aligned columns, two spaces apart. The last column is not padded. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, stringWidth(cell))
    }
  }
  return rows.map(row =>
    row
      .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - stringWidth(cell)))
      .join('  ')
      .trimEnd(),
  )
}

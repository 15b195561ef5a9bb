import { unfinishedBytes } from '#shared/utf8.ts'
import { type TerminalLine, terminalLines } from '../../../markdown/terminal-text.ts'

/** Bytes that are asked for at a time. */
export const PART_BYTES = 131_072
/** What the window holds of an output, however long that is: parts beyond go at the far end. */
const MOST_PARTS = 24
const MOST_LINES = 300_000
/** A longer line is shown in pieces, so that one line never fills the page. */
const LINE_CHARS = 2000

/** A stretch of an output as lines. `to` is where the next one begins; `colour` is what a terminal would go on in. */
export interface HeldPart {
  readonly from: number
  readonly to: number
  readonly lines: readonly TerminalLine[]
  readonly colour: string
}

/** Neighbouring parts, in order. `size` is that of the whole output. */
export interface HeldLines {
  readonly size: number
  readonly parts: readonly HeldPart[]
}

export interface ByteRange {
  readonly from: number
  readonly length: number
}

export function lineCount({ parts }: HeldLines): number {
  return parts.reduce((sum, { lines }) => sum + lines.length, 0)
}

export function lineAt({ parts }: HeldLines, index: number): TerminalLine {
  let rest = index
  for (const { lines } of parts) {
    if (rest < lines.length) return lines[rest] ?? []
    rest -= lines.length
  }
  return []
}

/** Where in the output a line is: exact at the borders of parts, a guess between them. */
export function byteAt({ parts }: HeldLines, index: number): number {
  let rest = index
  for (const { lines, from, to } of parts) {
    if (rest < lines.length) return Math.round(from + ((to - from) * rest) / lines.length)
    rest -= lines.length
  }
  return parts.at(-1)?.to ?? 0
}

/** The bytes after what is held, `null` at the end. */
export function rangeAfter({ parts, size }: HeldLines): ByteRange | null {
  const from = parts.at(-1)?.to ?? 0
  return from < size ? { from, length: PART_BYTES } : null
}

/** The bytes before what is held, `null` at the start. */
export function rangeBefore({ parts }: HeldLines): ByteRange | null {
  const end = parts[0]?.from ?? 0
  const from = Math.max(0, end - PART_BYTES)
  return end > 0 ? { from, length: end - from } : null
}

/** Held anew from about `byte`: the line that begins next after it, or the last lines at the end. */
export function rangeAround(size: number, byte: number): ByteRange {
  const last = Math.max(0, size - PART_BYTES)
  return { from: Math.min(Math.max(0, Math.floor(byte)), last), length: PART_BYTES }
}

/** What `bytes` from `from` on add at the end. `dropped`: lines that went at the start to make room. */
export function withAfter(
  held: HeldLines,
  from: number,
  bytes: Uint8Array,
): { readonly held: HeldLines; readonly dropped: number } {
  // The store has less than it said: this is the end.
  if (bytes.length === 0) return { held: { ...held, size: from }, dropped: 0 }
  const before = held.parts.at(-1)
  const first = before === undefined ? startOfLine(from, bytes) : 0
  const part = partOf(from + first, cutAfter(bytes.subarray(first), from + bytes.length >= held.size), before)
  let parts = [...held.parts, part]
  let dropped = 0
  for (let gone = parts[0]; isTooMuch(parts) && gone !== undefined; gone = parts[0]) {
    dropped += gone.lines.length
    parts = parts.slice(1)
  }
  return { held: { ...held, parts }, dropped }
}

/** What `bytes`, which end where the held begins, add at the start. `added`: lines. */
export function withBefore(
  held: HeldLines,
  from: number,
  bytes: Uint8Array,
): { readonly held: HeldLines; readonly added: number } {
  const first = startOfLine(from, bytes)
  const part = partOf(from + first, bytes.subarray(first), undefined)
  let parts = [part, ...held.parts]
  while (isTooMuch(parts)) parts = parts.slice(0, -1)
  return { held: { ...held, parts }, added: part.lines.length }
}

function isTooMuch(parts: readonly HeldPart[]): boolean {
  const lines = parts.reduce((sum, part) => sum + part.lines.length, 0)
  return parts.length > 2 && (parts.length > MOST_PARTS || lines > MOST_LINES)
}

/** Up to the last line that is whole, as far as there is one: the next part begins with a line. */
function cutAfter(bytes: Uint8Array, isEnd: boolean): Uint8Array {
  if (isEnd) return bytes
  const newline = bytes.lastIndexOf(0x0a)
  return bytes.subarray(0, newline === -1 ? bytes.length - unfinishedBytes(bytes) : newline + 1)
}

/** How many bytes belong to a line, or at least to a character, that began before. */
function startOfLine(from: number, bytes: Uint8Array): number {
  if (from === 0) return 0
  const newline = bytes.indexOf(0x0a)
  if (newline !== -1 && newline < bytes.length - 1) return newline + 1
  let rest = 0
  while (rest < 3 && ((bytes[rest] ?? 0) & 0xc0) === 0x80) rest += 1
  return rest
}

function partOf(from: number, bytes: Uint8Array, before: HeldPart | undefined): HeldPart {
  const text = (before?.colour ?? '') + new TextDecoder().decode(bytes)
  const ended = text.endsWith('\n') ? text.slice(0, -1) : text
  const lines = terminalLines(ended).flatMap(wrapped)
  return { from, to: from + bytes.length, lines, colour: colourAtEnd(text) }
}

function wrapped(line: TerminalLine): TerminalLine[] {
  const length = line.reduce((sum, { text }) => sum + text.length, 0)
  if (length <= LINE_CHARS) return [line]
  const rows: TerminalLine[number][][] = [[]]
  let room = LINE_CHARS
  for (const piece of line) {
    for (let at = 0; at < piece.text.length; ) {
      if (room === 0) {
        rows.push([])
        room = LINE_CHARS
      }
      const text = wholeSlice(piece.text, at, room)
      rows.at(-1)?.push({ ...piece, text })
      at += text.length
      room = Math.max(0, room - text.length)
    }
  }
  return rows
}

/** Never half a character; at least one. */
function wholeSlice(text: string, at: number, length: number): string {
  const slice = text.slice(at, at + length)
  if (!/[\uD800-\uDBFF]$/.test(slice)) return slice
  return slice.length === 1 ? text.slice(at, at + 2) : slice.slice(0, -1)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
const COLOURS = /\u001b\[[\d;:]*m/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const RESET = /^\u001b\[(?:0*;)*0*m$/
const MOST_COLOURS = 32

/** The colour sequences that still hold at the end of `text`, or as many of the last as are worth it. */
function colourAtEnd(text: string): string {
  const all = text.match(COLOURS) ?? []
  return all
    .slice(all.findLastIndex(one => RESET.test(one)) + 1)
    .slice(-MOST_COLOURS)
    .join('')
}

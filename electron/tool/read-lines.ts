import { createReadStream } from 'node:fs'
import type { TextEncoding } from './file-text.ts'

export interface LineRange {
  /** 1-based. */
  readonly first: number
  readonly limit: number
  /** Characters kept of one line, and of all lines together. */
  readonly maxLine: number
  readonly maxTotal: number
}

export interface ReadLines {
  readonly lines: readonly string[]
  /** Lines of which only the beginning is kept. */
  readonly longLines: number
  /** More lines follow the last one kept. */
  readonly more: boolean
  /** Lines of the whole file where its end was reached. */
  readonly total: number | null
  /** Some bytes were no valid text and are shown as replacement characters. */
  readonly broken: boolean
}

/**
 * Reads a range of lines in memory bounded by `range`, whatever the size of the file and of its lines. Stops
 * reading soon after the range is full. Rejects like a file stream, or with the signal's reason.
 */
export async function readLines(
  path: string,
  encoding: TextEncoding,
  range: LineRange,
  signal: AbortSignal,
): Promise<ReadLines> {
  const collector = createLineCollector(range)
  const decoder = new TextDecoder(encoding)
  const stream = createReadStream(path, { highWaterMark: 256 * 1024, signal })
  let complete = true
  for await (const chunk of stream) {
    collector.add(decoder.decode(chunk, { stream: true }))
    if (!collector.isFull() || collector.seen() < range.first + range.limit + COUNTED_AHEAD) continue
    complete = false
    break
  }
  if (complete) collector.add(decoder.decode())
  return collector.finish(complete)
}

/** How far past the range lines are still counted, to tell the total of ordinary files. */
const COUNTED_AHEAD = 100_000

function createLineCollector(range: LineRange) {
  const lines: string[] = []
  let number = 1
  let open = ''
  let openLength = 0
  let kept = 0
  let longLines = 0
  let full = false
  let broken = false

  function endLine(): void {
    const wanted = number >= range.first && !full
    if (wanted && (lines.length >= range.limit || kept + open.length > range.maxTotal)) full = true
    else if (wanted) {
      if (openLength > open.length) longLines++
      const line = open.endsWith('\r') ? open.slice(0, -1) : open
      lines.push(openLength > open.length ? `${line.replace(/[\uD800-\uDBFF]$/, '')}…` : line)
      kept += line.length
    }
    number++
    open = ''
    openLength = 0
  }

  return {
    add(text: string): void {
      broken ||= text.includes('\uFFFD')
      let start = 0
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
        append(text, start, end)
        endLine()
        start = end + 1
      }
      append(text, start, text.length)
    },
    isFull: () => full,
    seen: () => number,
    finish(complete: boolean): ReadLines {
      if (complete && openLength > 0) endLine()
      const total = complete ? number - 1 : null
      return { lines, longLines, more: full, total, broken }
    },
  }

  function append(text: string, start: number, end: number): void {
    openLength += end - start
    if (open.length < range.maxLine)
      open += text.slice(start, Math.min(end, start + range.maxLine - open.length))
  }
}

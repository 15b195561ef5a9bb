import { isUtf8 } from 'node:buffer'
import type { Line } from './line.ts'
import { frameEnd, nextFrame, packFrame, unpackFrame } from './zstd-frames.ts'

export type EncodingName = 'text' | 'zstd'

/** A frame holds whole lines: several of together at most this many bytes, or one longer one alone. */
export const MOST_FRAME_BYTES = 64 * 1024

/** What can be read by itself: a line of text, or a frame of lines. */
export interface Unit {
  /** Its bytes, from the beginning of the buffer. */
  readonly at: number
  readonly to: number
  readonly lines: readonly Line[]
  /** Bytes of its lines as text. */
  readonly payload: number
}

export interface Packed {
  readonly bytes: Buffer
  /** The bytes, the lines and the payload of each unit, in order. */
  readonly units: readonly { readonly bytes: number; readonly lines: number; readonly payload: number }[]
}

/** How the lines of a log are kept in its file. */
export interface Encoding {
  readonly name: EncodingName
  readonly file: string
  pack(lines: readonly string[]): Packed
  /** Whether a unit can begin at `at`. The byte before it is in the buffer where there is one. */
  canBegin(buffer: Buffer, at: number): boolean
  /**
   * The units of `buffer` in order. `isEnd`: nothing follows it. What is left behind the last unit is the beginning of
   * another one, or a torn tail.
   */
  units(buffer: Buffer, isEnd: boolean): Generator<Unit, void>
}

const NEWLINE = 0x0a

const text: Encoding = {
  name: 'text',
  file: 'log.jsonl',
  pack(lines) {
    const bytes = Buffer.from(`${lines.join('\n')}\n`)
    const units = lines.map(line => {
      const length = Buffer.byteLength(line) + 1
      return { bytes: length, lines: 1, payload: length }
    })
    return { bytes: lines.length === 0 ? Buffer.alloc(0) : bytes, units }
  },
  canBegin: (buffer, at) => at === 0 || buffer[at - 1] === NEWLINE,
  *units(buffer) {
    const isText = isUtf8(buffer)
    for (let at = 0; at < buffer.length; ) {
      const newline = buffer.indexOf(NEWLINE, at)
      if (newline === -1) return
      const line = lineOf(buffer, at, newline, isText)
      const to = newline + 1
      yield { at, to, lines: line === null ? [] : [line], payload: to - at }
      at = to
    }
  },
}

const zstd: Encoding = {
  name: 'zstd',
  file: 'log.jsonl.zst',
  pack(lines) {
    const frames: Buffer[] = []
    const units: { bytes: number; lines: number; payload: number }[] = []
    for (const { lines: together, payload } of batches(lines)) {
      const frame = packFrame(Buffer.from(`${together.join('\n')}\n`))
      frames.push(frame)
      units.push({ bytes: frame.length, lines: together.length, payload })
    }
    return { bytes: Buffer.concat(frames), units }
  },
  canBegin: (buffer, at) => at === buffer.length || frameEnd(buffer, at).kind !== 'invalid',
  *units(buffer, isEnd) {
    for (let at = 0; at < buffer.length; ) {
      const end = frameEnd(buffer, at)
      if (end.kind === 'skippable') {
        yield { at, to: end.to, lines: [], payload: 0 }
        at = end.to
        continue
      }
      if (end.kind === 'frame') {
        const frame = buffer.subarray(at, end.to)
        const payload = unpackFrame(frame)
        const lines = payload === null ? [Uint8Array.from(frame)] : linesOf(payload)
        yield { at, to: end.to, lines, payload: payload?.length ?? 0 }
        at = end.to
        continue
      }
      if (!isEnd) return
      const next = nextFrame(buffer, at)
      if (next === null) return
      yield { at, to: next, lines: [Uint8Array.from(buffer.subarray(at, next))], payload: 0 }
      at = next
    }
  },
}

export const ENCODINGS: Readonly<Record<EncodingName, Encoding>> = { text, zstd }

function linesOf(payload: Buffer): Line[] {
  const isText = isUtf8(payload)
  const lines: Line[] = []
  for (let at = 0; at < payload.length; ) {
    const newline = payload.indexOf(NEWLINE, at)
    // A whole frame that ends inside a line is damage like any other.
    const line = newline === -1 ? Uint8Array.from(payload.subarray(at)) : lineOf(payload, at, newline, isText)
    if (line !== null) lines.push(line)
    at = newline === -1 ? payload.length : newline + 1
  }
  return lines
}

/** `null` for an empty line. Git and editors may have put a carriage return at its end. */
function lineOf(buffer: Buffer, at: number, newline: number, isText: boolean): Line | null {
  const end = newline > at && buffer[newline - 1] === 0x0d ? newline - 1 : newline
  if (end === at) return null
  const bytes = buffer.subarray(at, end)
  return isText || isUtf8(bytes) ? bytes.toString('utf8') : Uint8Array.from(bytes)
}

function* batches(lines: readonly string[]): Generator<{ lines: string[]; payload: number }> {
  let batch: string[] = []
  let payload = 0
  for (const line of lines) {
    const length = Buffer.byteLength(line) + 1
    if (batch.length > 0 && payload + length > MOST_FRAME_BYTES) {
      yield { lines: batch, payload }
      batch = []
      payload = 0
    }
    batch.push(line)
    payload += length
  }
  if (batch.length > 0) yield { lines: batch, payload }
}

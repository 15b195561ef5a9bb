import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

const NEWLINE = 0x0a
const CHUNK_BYTES = 1 << 20
/** Longer lines cannot safely become one string. */
const MAX_LINE_BYTES = 256 << 20
/** A pipe without a writer must not hang, a link must not lead elsewhere. Windows has neither flag. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)
const BOM = Buffer.from([0xef, 0xbb, 0xbf])

export interface ByteLine {
  /** From 1. */
  readonly no: number
  /** Without its line end; `null`: longer than 256 MiB. */
  readonly bytes: Buffer | null
  /** `false` only for a last line without a line end: its writer may still be at it. */
  readonly ended: boolean
}

/**
 * The lines of a file, a batch per chunk, split on `\n` as bytes. Opens read-only, reads no further than the size
 * at the open, never waits for a pipe, follows no link. Rejects with the system's error, with a sentence when `path` is no file,
 * and with `signal.reason`.
 */
export async function* readByteLines(path: string, signal?: AbortSignal): AsyncGenerator<ByteLine[]> {
  const handle = await open(path, READ)
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new Error('not a regular file')
    const splitter = new Splitter()
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    for (let position = 0; position < stats.size; ) {
      signal?.throwIfAborted()
      const { bytesRead } = await handle.read(
        chunk,
        0,
        Math.min(CHUNK_BYTES, stats.size - position),
        position,
      )
      if (bytesRead === 0) break
      position += bytesRead
      const lines = splitter.push(chunk.subarray(0, bytesRead))
      if (lines.length > 0) yield lines
    }
    const last = splitter.end()
    if (last !== null) yield [last]
  } finally {
    await handle.close()
  }
}

class Splitter {
  #no = 0
  #parts: Buffer[] = []
  #length = 0

  /** Copies what it keeps: the chunk is used again. */
  push(chunk: Buffer): ByteLine[] {
    const lines: ByteLine[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end))
      lines.push(this.#take(true))
      start = end + 1
    }
    this.#keep(chunk.subarray(start))
    return lines
  }

  end(): ByteLine | null {
    return this.#length === 0 ? null : this.#take(false)
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return
    this.#length += part.length
    if (this.#length <= MAX_LINE_BYTES) this.#parts.push(Buffer.from(part))
    else this.#parts = []
  }

  #take(ended: boolean): ByteLine {
    this.#no += 1
    const bytes = this.#length > MAX_LINE_BYTES ? null : Buffer.concat(this.#parts)
    this.#parts = []
    this.#length = 0
    const hasBom = this.#no === 1 && bytes !== null && bytes.subarray(0, 3).equals(BOM)
    return { no: this.#no, bytes: hasBom ? bytes.subarray(3) : bytes, ended }
  }
}

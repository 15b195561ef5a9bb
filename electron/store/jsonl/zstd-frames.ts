import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

const MAGIC = 0xfd2fb528
const SKIPPABLE = 0x184d2a50
/** Nothing of ours is as large: what claims to be is not unpacked. */
const MOST_UNPACKED = 512 * 1024 * 1024

const CONTENT_SIZE_BYTES = [0, 2, 4, 8]
const DICTIONARY_BYTES = [0, 1, 2, 4]

export function packFrame(payload: Uint8Array): Buffer {
  return zstdCompressSync(payload, {
    params: { [constants.ZSTD_c_checksumFlag]: 1, [constants.ZSTD_c_compressionLevel]: 3 },
  })
}

/** `null` for a frame that is broken: its checksum tells. */
export function unpackFrame(frame: Uint8Array): Buffer | null {
  try {
    return zstdDecompressSync(frame, { maxOutputLength: MOST_UNPACKED })
  } catch {
    // Whatever is wrong with it, the frame cannot be read: the caller reports it as damage.
    return null
  }
}

export type FrameEnd =
  | { readonly kind: 'frame' | 'skippable'; readonly to: number }
  /** It may go on behind the end of the buffer. */
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'invalid' }

const INCOMPLETE: FrameEnd = { kind: 'incomplete' }
const INVALID: FrameEnd = { kind: 'invalid' }

/** Where the frame at `at` ends (RFC 8878, 3.1.1), by its blocks' sizes: nothing is unpacked. */
export function frameEnd(buffer: Buffer, at: number): FrameEnd {
  if (at + 4 > buffer.length) return isStartOfMagic(buffer, at) ? INCOMPLETE : INVALID
  const magic = buffer.readUInt32LE(at)
  if (magic >>> 4 === SKIPPABLE >>> 4) return skippableEnd(buffer, at)
  if (magic !== MAGIC) return INVALID
  if (at + 5 > buffer.length) return INCOMPLETE
  const descriptor = buffer.readUInt8(at + 4)
  const isSingleSegment = (descriptor & 0x20) !== 0
  const sizeBytes = CONTENT_SIZE_BYTES[descriptor >>> 6] ?? 0
  const header =
    5 +
    (isSingleSegment ? 0 : 1) +
    (DICTIONARY_BYTES[descriptor & 3] ?? 0) +
    (sizeBytes === 0 && isSingleSegment ? 1 : sizeBytes)
  return blocksEnd(buffer, at + header, (descriptor & 0x04) !== 0)
}

function blocksEnd(buffer: Buffer, from: number, hasChecksum: boolean): FrameEnd {
  for (let at = from; ; ) {
    if (at + 3 > buffer.length) return INCOMPLETE
    const header = buffer.readUIntLE(at, 3)
    const type = (header >>> 1) & 3
    if (type === 3) return INVALID
    at += 3 + (type === 1 ? 1 : header >>> 3)
    if ((header & 1) === 0) continue
    const to = at + (hasChecksum ? 4 : 0)
    return to > buffer.length ? INCOMPLETE : { kind: 'frame', to }
  }
}

function skippableEnd(buffer: Buffer, at: number): FrameEnd {
  if (at + 8 > buffer.length) return INCOMPLETE
  const to = at + 8 + buffer.readUInt32LE(at + 4)
  return to > buffer.length ? INCOMPLETE : { kind: 'skippable', to }
}

function isStartOfMagic(buffer: Buffer, at: number): boolean {
  const magic = Buffer.alloc(4)
  magic.writeUInt32LE(MAGIC)
  return at < buffer.length && magic.subarray(0, buffer.length - at).equals(buffer.subarray(at, at + 4))
}

/** The next place behind `at` where a whole frame begins that can be unpacked; `null` for none. */
export function nextFrame(buffer: Buffer, at: number): number | null {
  const magic = Buffer.alloc(4)
  magic.writeUInt32LE(MAGIC)
  for (let next = buffer.indexOf(magic, at + 1); next !== -1; next = buffer.indexOf(magic, next + 1)) {
    const end = frameEnd(buffer, next)
    if (end.kind === 'frame' && unpackFrame(buffer.subarray(next, end.to)) !== null) return next
  }
  return null
}

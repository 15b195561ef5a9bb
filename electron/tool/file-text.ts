import { open } from 'node:fs/promises'

/** The first bytes tell text from anything else. */
export const SNIFF_BYTES = 8192

/** The first bytes of a file. Rejects like `fs.open`. */
export async function sniff(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

export type TextEncoding = 'utf-8' | 'utf-16le'

/** `null`: no text. A zero byte means binary, unless a byte order mark says UTF-16. */
export function encodingOf(head: Buffer): TextEncoding | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  return head.includes(0) ? null : 'utf-8'
}

const IMAGE_MARKS: readonly (readonly [mediaType: string, matches: (head: Buffer) => boolean])[] = [
  ['image/png', head => head.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))],
  ['image/jpeg', head => head.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))],
  ['image/gif', head => ['GIF87a', 'GIF89a'].includes(head.toString('latin1', 0, 6))],
  [
    'image/webp',
    head => head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP',
  ],
]

/** The kind of image by its own first bytes, whatever its name says. */
export function imageTypeOf(head: Buffer): string | null {
  return IMAGE_MARKS.find(([, matches]) => matches(head))?.[0] ?? null
}

/** The text of `bytes`, or `null` where decoding would lose something: writing it back would change the file. */
export function decodeExactly(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // Not UTF-8: the only thing a fatal decoder throws for.
    return null
  }
}

import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import process from 'node:process'

/** A link is not followed, and a pipe is not waited for. Both are missing where the system has none. */
const CAREFULLY = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Something else than an ordinary file is in its place. */
export class OddFile extends Error {
  override readonly name = 'OddFile'
}

export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

/** Of an ordinary file. @throws OddFile for anything else; the system's own error for one that is not there. */
export function openFile(path: string, access: 'read' | 'write'): number {
  try {
    const fd = openSync(path, (access === 'read' ? constants.O_RDONLY : constants.O_RDWR) | CAREFULLY)
    if (fstatSync(fd).isFile()) return fd
    closeSync(fd)
  } catch (error) {
    if (errorCode(error) === 'ELOOP' || errorCode(error) === 'EISDIR') throw new OddFile('no ordinary file')
    throw error
  }
  throw new OddFile('no ordinary file')
}

export function withFile<T>(path: string, access: 'read' | 'write', work: (fd: number) => T): T {
  const fd = openFile(path, access)
  try {
    return work(fd)
  } finally {
    closeSync(fd)
  }
}

/** As many of the bytes from `from` up to `to` as there are. */
export function readRange(fd: number, from: number, to: number): Buffer {
  const buffer = Buffer.allocUnsafe(Math.max(0, to - from))
  let length = 0
  while (length < buffer.length) {
    const read = readSync(fd, buffer, length, buffer.length - length, from + length)
    if (read === 0) break
    length += read
  }
  return buffer.subarray(0, length)
}

/** The whole of a small file, `null` when there is none. @throws OddFile also for one larger than `most` bytes. */
export function readSmall(path: string, most: number): Buffer | null {
  try {
    return withFile(path, 'read', fd => {
      const { size } = fstatSync(fd)
      if (size > most) throw new OddFile(`more than ${most} bytes`)
      return readRange(fd, 0, size)
    })
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

export function writeAll(fd: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, at + done)
  }
}

/** A new file, readable by its owner alone and durable but for its name. @throws where there is one already. */
export function writeNew(path: string, bytes: Uint8Array): void {
  const fd = openSync(path, 'wx', 0o600)
  try {
    writeAll(fd, bytes, 0)
    // Of an empty one the folder knows all there is.
    if (bytes.length > 0) fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/**
 * Replaces a file in one step: whoever reads it gets the old text or the new one. `isDurable`: the text is on disk
 * before it takes its place.
 */
export function replaceFile(path: string, text: string, isDurable: boolean): void {
  const next = `${path}.new`
  const fd = openSync(next, 'w', 0o600)
  try {
    ftruncateSync(fd, 0)
    writeAll(fd, Buffer.from(text), 0)
    if (isDurable) fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  try {
    renameSync(next, path)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  }
}

/** Makes names in a folder durable: of files made, renamed or removed there. */
export function syncFolder(path: string): void {
  // Windows opens no folders, and needs none of this.
  if (process.platform === 'win32') return
  const fd = openSync(path, constants.O_RDONLY)
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

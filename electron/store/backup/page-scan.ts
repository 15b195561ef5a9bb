import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { PAGE_BYTES } from '../sqlite/page-size.ts'
import { type RecordValue, readRecord, readVarint } from './record-format.ts'

/** A row as it lies on a page. */
export interface ScannedRow {
  /** `null` on pages of an index or of a table without rowids. */
  readonly rowid: number | null
  readonly values: readonly RecordValue[]
}

const INDEX_LEAF = 0x0a
const INDEX_INTERIOR = 0x02
const TABLE_LEAF = 0x0d

/** A page is one of ours when its cells make sense; a record is at most so long. */
const MOST_RECORD_BYTES = 64 * 1024 * 1024

/**
 * Every row on every page of a database file, whether or not anything still leads to the page: after a file was cut
 * off, the pages that led to the others may be gone. Among them may be rows that were deleted since: the caller takes
 * only what it knows to be missing. Pages in another format are passed over.
 */
export function* scanPages(path: string): Generator<ScannedRow> {
  const file = openSync(path, 'r')
  try {
    const pages = Math.floor(fstatSync(file).size / PAGE_BYTES)
    const page = Buffer.alloc(PAGE_BYTES)
    for (let number = 1; number <= pages; number += 1) {
      readSync(file, page, 0, PAGE_BYTES, (number - 1) * PAGE_BYTES)
      yield* rowsOf(page, number === 1 ? 100 : 0, file, pages)
    }
  } finally {
    closeSync(file)
  }
}

function* rowsOf(page: Buffer, start: number, file: number, pages: number): Generator<ScannedRow> {
  const kind = page[start]
  if (kind !== INDEX_LEAF && kind !== INDEX_INTERIOR && kind !== TABLE_LEAF) return
  const cells = page.readUInt16BE(start + 3)
  const pointers = start + (kind === INDEX_INTERIOR ? 12 : 8)
  for (let cell = 0; cell < cells && pointers + 2 * cell + 2 <= PAGE_BYTES; cell += 1) {
    const row = rowAt(page, page.readUInt16BE(pointers + 2 * cell), kind, file, pages)
    if (row !== null) yield row
  }
}

function rowAt(page: Buffer, at: number, kind: number, file: number, pages: number): ScannedRow | null {
  if (at < 8 || at >= PAGE_BYTES - 4) return null
  const size = readVarint(page, kind === INDEX_INTERIOR ? at + 4 : at)
  if (size === null || size.value < 2 || size.value > MOST_RECORD_BYTES) return null
  const rowid = kind === TABLE_LEAF ? readVarint(page, size.end) : null
  if (kind === TABLE_LEAF && rowid === null) return null
  const payload = payloadAt(page, rowid?.end ?? size.end, size.value, { kind, file, pages })
  const values = payload === null ? null : readRecord(payload)
  return values === null ? null : { rowid: rowid?.value ?? null, values }
}

interface Place {
  readonly kind: number
  readonly file: number
  readonly pages: number
}

/** https://www.sqlite.org/fileformat2.html, section 1.6: how much of a record lies on its page, and where the rest is. */
function payloadAt(page: Buffer, at: number, size: number, { kind, file, pages }: Place): Buffer | null {
  const most = kind === TABLE_LEAF ? PAGE_BYTES - 35 : Math.floor(((PAGE_BYTES - 12) * 64) / 255) - 23
  if (size <= most) return at + size <= PAGE_BYTES ? Buffer.from(page.subarray(at, at + size)) : null
  const least = Math.floor(((PAGE_BYTES - 12) * 32) / 255) - 23
  const fitting = least + ((size - least) % (PAGE_BYTES - 4))
  const local = fitting <= most ? fitting : least
  if (at + local + 4 > PAGE_BYTES) return null
  const parts = [Buffer.from(page.subarray(at, at + local))]
  let next = page.readUInt32BE(at + local)
  for (let left = size - local; left > 0; ) {
    if (next < 2 || next > pages) return null
    const overflow = Buffer.alloc(PAGE_BYTES)
    readSync(file, overflow, 0, PAGE_BYTES, (next - 1) * PAGE_BYTES)
    const taken = Math.min(left, PAGE_BYTES - 4)
    parts.push(overflow.subarray(4, 4 + taken))
    left -= taken
    next = overflow.readUInt32BE(0)
  }
  return Buffer.concat(parts)
}

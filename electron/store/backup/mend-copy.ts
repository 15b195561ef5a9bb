import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { PAGE_BYTES } from '../sqlite/page-size.ts'

/*
 * Makes a copy of a damaged database into one that SQLite opens, so that what is whole in it can be read. These edit
 * the copy alone, and only what SQLite reads before anything else: the length and the first page.
 */

const MAGIC = Buffer.from('SQLite format 3\0')
const HEADER_BYTES = 100
/** A header may state any length; so much more than is there is believed. */
const MOST_GROWTH = 2 ** 33

/** As long as its header says, or a whole number of pages: a cut-off file lacks pages, it need not lack all. */
export function lengthen(copy: string): void {
  edit(copy, file => {
    const header = read(file, HEADER_BYTES)
    const pageBytes = pageBytesOf(header)
    const { size } = fstatSync(file)
    const stated = header.length < HEADER_BYTES ? 1 : header.readUInt32BE(28)
    const pages = Math.max(
      1,
      Math.ceil(size / pageBytes),
      stated * pageBytes - size > MOST_GROWTH ? 1 : stated,
    )
    if (size !== pages * pageBytes) ftruncateSync(file, pages * pageBytes)
  })
}

/** Writes the fields of the header anew, as a database of ours has them. The schema after it stays. */
export function writeHeaderAnew(copy: string, version: number): void {
  edit(copy, file => {
    const pages = wholePages(file)
    write(file, headerOf(pages, version, existsSync(`${copy}-wal`)))
  })
}

/** Puts the whole first page of a new database there: tables of ours begin where those of any other of ours begin. */
export function writeFirstPageAnew(copy: string, fresh: string): void {
  const page = readFirstPage(fresh)
  edit(copy, file => {
    const pages = wholePages(file)
    headerOf(pages, page.readUInt32BE(60), existsSync(`${copy}-wal`)).copy(page)
    write(file, page)
  })
}

function readFirstPage(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    return read(file, PAGE_BYTES)
  } finally {
    closeSync(file)
  }
}

function edit(copy: string, change: (file: number) => void): void {
  const file = openSync(copy, 'r+')
  try {
    change(file)
  } finally {
    closeSync(file)
  }
}

function read(file: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(file, bytes, 0, length, 0))
}

function write(file: number, bytes: Buffer): void {
  writeSync(file, bytes, 0, bytes.length, 0)
}

/** Rounds the file up to whole pages of ours, and counts them. */
function wholePages(file: number): number {
  const pages = Math.max(1, Math.ceil(fstatSync(file).size / PAGE_BYTES))
  ftruncateSync(file, pages * PAGE_BYTES)
  return pages
}

function pageBytesOf(header: Buffer): number {
  const stated = header.length < HEADER_BYTES ? 0 : header.readUInt16BE(16)
  const bytes = stated === 1 ? 65_536 : stated
  return bytes >= 512 && (bytes & (bytes - 1)) === 0 ? bytes : PAGE_BYTES
}

/** https://www.sqlite.org/fileformat2.html, section 1.3. Free pages are forgotten: nothing is written to the copy. */
function headerOf(pages: number, version: number, hasWal: boolean): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  MAGIC.copy(header)
  header.writeUInt16BE(PAGE_BYTES, 16)
  header.fill(hasWal ? 2 : 1, 18, 20)
  header.set([64, 32, 32], 21)
  header.writeUInt32BE(1, 24)
  header.writeUInt32BE(hasWal ? 0 : pages, 28) // 0: as many as the WAL says
  header.writeUInt32BE(1, 40)
  header.writeUInt32BE(4, 44)
  header.writeUInt32BE(1, 56)
  header.writeUInt32BE(version, 60)
  header.writeUInt32BE(1, 92)
  header.writeUInt32BE(3_054_001, 96)
  return header
}

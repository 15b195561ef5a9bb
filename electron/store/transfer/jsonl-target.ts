import { fsyncSync, linkSync, mkdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type EventRow, isSeq } from '../event-rows.ts'
import { ENCODINGS, type Encoding, type EncodingName } from '../jsonl/encoding.ts'
import { CHECKPOINT_FILE } from '../jsonl/folder-checkpoints.ts'
import { DRAFT_FILE } from '../jsonl/folder-logs.ts'
import { idOfName, nameOf } from '../jsonl/folder-name.ts'
import { outputIdFile, outputPath } from '../jsonl/folder-outputs.ts'
import { INDEX_FILE } from '../jsonl/index-file.ts'
import { lineOfRow, lostLine } from '../jsonl/line.ts'
import { LogIndex } from '../jsonl/log-index.ts'
import { makeSessionsFolder } from '../jsonl/make-format.ts'
import { MARKS_FILE, marksText } from '../jsonl/marks.ts'
import { HEADER_FILE } from '../jsonl/session-folders.ts'
import { replaceFile, syncFolder, withFile, writeAll, writeNew } from '../jsonl/side-files.ts'
import type { CarriedSession, LostPart, SessionSource, SessionTarget } from './carried.ts'

/** Lines that are written at a time. */
const STRETCH = 2000

/** Makes a folder of sessions in files. */
export class JsonlTarget implements SessionTarget {
  readonly #root: string
  readonly #encoding: Encoding
  readonly #archived: Record<string, string> = {}
  readonly #trashed: Record<string, { readonly at: number; readonly with: string }> = {}
  readonly #cuts: Record<string, number> = {}
  /** Where outputs that sessions share were written first. */
  readonly #outputs = new Map<string, string>()

  constructor(root: string, encoding: EncodingName) {
    this.#root = root
    this.#encoding = ENCODINGS[encoding]
    rmSync(root, { recursive: true, force: true })
    makeSessionsFolder(root, encoding)
  }

  add(session: CarriedSession, source: SessionSource): void {
    const { id, header, archived, trashed, cuts, draft, checkpoint } = session
    const folder = join(this.#root, nameOf(id))
    mkdirSync(folder, { mode: 0o700 })
    writeNew(join(folder, HEADER_FILE), Buffer.from(`${JSON.stringify(header)}\n`))
    this.#writeLog(folder, session.endSeq, source.rows(id))
    if (draft !== null) writeNew(join(folder, DRAFT_FILE), Buffer.from(draft))
    if (checkpoint !== null) {
      const { facts, faults, rows } = checkpoint
      const text = JSON.stringify({ facts, faults: JSON.parse(faults), rows })
      writeNew(join(folder, CHECKPOINT_FILE), Buffer.from(`${text}\n`))
    }
    for (const part of session.lost) writeNew(join(folder, lostName(part)), lostBytes(part))
    for (const { id: outputId, shared } of session.outputs)
      this.#writeOutput(folder, outputId, shared, source.output(id, outputId))
    syncFolder(folder)
    if (archived !== null) this.#archived[id] = archived
    if (trashed !== null) this.#trashed[id] = trashed
    if (cuts > 0) this.#cuts[id] = cuts
  }

  finish(units: string | undefined): void {
    const marks = { archived: this.#archived, trashed: this.#trashed, cuts: this.#cuts }
    replaceFile(join(this.#root, MARKS_FILE), marksText(marks), true)
    if (units !== undefined) replaceFile(join(this.#root, 'units.txt'), units, true)
    syncFolder(this.#root)
  }

  abandon(): void {
    rmSync(this.#root, { recursive: true, force: true })
  }

  #writeLog(folder: string, endSeq: number, rows: Iterable<EventRow>): void {
    const path = join(folder, this.#encoding.file)
    writeNew(path, Buffer.alloc(0))
    const index = new LogIndex()
    withFile(path, 'write', fd => {
      let stretch: EventRow[] = []
      let due = 0
      const write = (): void => {
        const lines: string[] = []
        for (const row of stretch) {
          lines.push(lineOfRow(row, due))
          due = Number(row[0]) + 1
        }
        const { bytes, units } = this.#encoding.pack(lines)
        writeAll(fd, bytes, index.size)
        let next = 0
        for (const unit of units) {
          index.add(unit.bytes, unit.payload, stretch.slice(next, next + unit.lines).map(indexed))
          next += unit.lines
        }
        stretch = []
      }
      for (const row of rows) {
        stretch.push(row)
        if (stretch.length === STRETCH) write()
      }
      const last = stretch.at(-1)?.[0]
      const end = isSeq(last) ? last + 1 : index.end
      // Nothing but its place is known of the last event of a log that lost its end.
      if (endSeq > end) stretch.push([endSeq - 1, null, null, null, null])
      write()
      fsyncSync(fd)
    })
    writeNew(join(folder, INDEX_FILE), Buffer.from(index.text()))
  }

  #writeOutput(folder: string, id: string, shared: string, parts: Iterable<Uint8Array>): void {
    const path = outputPath(folder, id)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    if (idOfName(basename(path)) === null) writeNew(outputIdFile(path), Buffer.from(id))
    const first = this.#outputs.get(shared)
    if (first !== undefined) {
      linkSync(first, path)
      return
    }
    this.#outputs.set(shared, path)
    writeNew(path, Buffer.alloc(0))
    withFile(path, 'write', fd => {
      let size = 0
      for (const part of parts) {
        writeAll(fd, part, size)
        size += part.length
      }
      fsyncSync(fd)
    })
    syncFolder(dirname(path))
  }
}

function indexed([seq, time, type]: EventRow) {
  return { seq: Number(seq), time, type }
}

function lostName(part: LostPart): string {
  return part.kind === 'rows' ? `lost-${part.at}.jsonl` : `torn-${part.number}`
}

function lostBytes(part: LostPart): Uint8Array {
  if (part.kind === 'bytes') return part.bytes
  return Buffer.from(part.rows.map(row => `${lostLine(row)}\n`).join(''))
}

import { closeSync, fstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { EventRow } from '../event-rows.ts'
import { readCheckpoint } from '../jsonl/folder-checkpoints.ts'
import { DRAFT_FILE, MOST_SIDE_BYTES } from '../jsonl/folder-logs.ts'
import { listOutputs, outputPath } from '../jsonl/folder-outputs.ts'
import { GroupCommit } from '../jsonl/group-commit.ts'
import { lostRow } from '../jsonl/line.ts'
import { Marks } from '../jsonl/marks.ts'
import { type Entry, HEADER_FILE, SessionFolders } from '../jsonl/session-folders.ts'
import type { SessionLog } from '../jsonl/session-log.ts'
import { openFile, readRange, readSmall, withFile } from '../jsonl/side-files.ts'
import type { CarriedSession, LostPart, SessionSource } from './carried.ts'

const PART_BYTES = 256 * 1024

/** What a database has a column for: it turns digits into numbers in some, and numbers into text in the others. */
const NUMBERS: ReadonlySet<string> = new Set(['version', 'createdAt', 'seedLength', 'delegationDepth'])
const TEXTS: ReadonlySet<string> = new Set(['id', 'cwd', 'parentSession', 'origin', 'preset'])

/** Sessions in files, as the files say. */
export class JsonlSource implements SessionSource {
  readonly left: string[] = []
  readonly units: string | undefined
  readonly #folders: SessionFolders
  readonly #marks: Marks

  constructor(root: string) {
    const commit = new GroupCommit()
    this.#marks = new Marks(root, commit, true)
    this.#folders = new SessionFolders({ root, commit, readOnly: true })
    this.units = readSmall(join(root, 'units.txt'), MOST_SIDE_BYTES)?.toString('utf8')
  }

  *sessions(): Generator<CarriedSession, void> {
    this.left.length = 0
    if (this.#marks.problem !== null) this.left.push(this.#marks.problem)
    for (const entry of [...this.#folders.all()].toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
      const carried = this.#carried(entry)
      if (typeof carried === 'string') this.left.push(`The session ${entry.id} stays: ${carried}`)
      else yield carried
    }
  }

  rows(id: string): Iterable<EventRow> {
    return this.#folders.get(id)?.log?.rows(0) ?? []
  }

  *output(id: string, outputId: string): Generator<Uint8Array, void> {
    const fd = openFile(outputPath(this.#folders.folderOf(id), outputId), 'read')
    try {
      for (let at = 0; ; at += PART_BYTES) {
        const bytes = readRange(fd, at, at + PART_BYTES)
        if (bytes.length > 0) yield bytes
        if (bytes.length < PART_BYTES) return
      }
    } finally {
      closeSync(fd)
    }
  }

  close(): void {}

  #carried(entry: Entry): CarriedSession | string {
    const { id, folder, log, header } = entry
    if (log === null) return header.kind === 'unreadable' ? header.problem : 'it has no log.'
    const facts = factsOf(folder)
    if (typeof facts === 'string') return facts
    const { index, torn, stated } = log.state()
    const checkpoint = readCheckpoint(entry)
    const lost = lostParts(folder)
    return {
      id,
      header: facts,
      endSeq: Math.max(stated, index.end),
      cuts: this.#marks.cuts.get(id) ?? 0,
      archived: this.#marks.archived.get(id) ?? null,
      trashed: this.#marks.trashed.get(id) ?? null,
      draft: readSmall(join(folder, DRAFT_FILE), MOST_SIDE_BYTES)?.toString('utf8') ?? null,
      checkpoint:
        checkpoint === null
          ? null
          : {
              facts: checkpoint.facts,
              faults: JSON.stringify(checkpoint.faults),
              rows: checkpoint.rows.toSorted(([one], [other]) => (one < other ? -1 : 1)),
            },
      lost: torn === 0 ? lost : [...lost, tornPart(log, index.size, nextNumber(lost))],
      outputs: listOutputs(folder).map(output => ({
        ...output,
        shared: fileIdentity(outputPath(folder, output.id)),
      })),
    }
  }
}

function factsOf(folder: string): Readonly<Record<string, unknown>> | string {
  try {
    const facts: unknown = JSON.parse(
      readSmall(join(folder, HEADER_FILE), MOST_SIDE_BYTES)?.toString('utf8') ?? '',
    )
    if (typeof facts !== 'object' || facts === null || Array.isArray(facts)) return 'its header is no object.'
    const entries = Object.entries(facts)
    const odd = entries.find(([name, value]) => !fitsColumn(name, value))
    if (odd !== undefined) return `a database cannot hold its header (${odd[0]}).`
    return Object.fromEntries(entries)
  } catch {
    return 'its header is not JSON.'
  }
}

function fitsColumn(name: string, value: unknown): boolean {
  if (typeof value === 'string') return TEXTS.has(name) || (NUMBERS.has(name) && Number.isNaN(Number(value)))
  return typeof value === 'number' && NUMBERS.has(name)
}

function lostParts(folder: string): LostPart[] {
  const rows: LostPart[] = []
  const torn: (LostPart & { kind: 'bytes' })[] = []
  for (const name of readdirSync(folder)) {
    const lostAt = /^lost-(\d+)\.jsonl$/.exec(name)?.[1]
    const number = /^torn-(\d+)$/.exec(name)?.[1]
    if (lostAt === undefined && number === undefined) continue
    const bytes = readSmall(join(folder, name), MOST_SIDE_BYTES) ?? Buffer.alloc(0)
    if (number !== undefined) torn.push({ kind: 'bytes', number: Number(number), bytes })
    else rows.push({ kind: 'rows', at: Number(lostAt), rows: linesOf(bytes).map(lostRow) })
  }
  return [...rows.sort(byPlace), ...torn.sort(byPlace)]
}

function byPlace(one: LostPart, other: LostPart): number {
  const placeOf = (part: LostPart): number => (part.kind === 'rows' ? part.at : part.number)
  return placeOf(one) - placeOf(other)
}

function linesOf(bytes: Buffer): string[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .filter(line => line !== '')
}

function nextNumber(lost: readonly LostPart[]): number {
  return Math.max(0, ...lost.flatMap(part => (part.kind === 'bytes' ? [part.number] : []))) + 1
}

function tornPart(log: SessionLog, from: number, number: number): LostPart {
  const bytes = withFile(log.path, 'read', fd => readRange(fd, from, fstatSync(fd).size))
  return { kind: 'bytes', number, bytes }
}

function fileIdentity(path: string): string {
  const { dev, ino } = statSync(path)
  return `${dev} ${ino}`
}

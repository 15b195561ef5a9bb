import { join } from 'node:path'
import { WorkbenchError } from '#shared/errors.ts'
import type { Draft } from '#shared/session/closers.ts'
import { readDraft } from '../draft.ts'
import type { EventRow } from '../event-rows.ts'
import { type Logs, RAW_LENGTH } from '../logs.ts'
import type { RawRow } from '../persistence.ts'
import { type ReadHeader, unreadableHeader } from '../read-header.ts'
import type { Marks } from './marks.ts'
import type { Entry, FolderRow, SessionFolders } from './session-folders.ts'
import { fileProblem } from './session-folders.ts'
import type { SessionLog } from './session-log.ts'
import { readSmall } from './side-files.ts'

export const DRAFT_FILE = 'draft.json'
export const MOST_SIDE_BYTES = 256 * 1024 * 1024

/** The logs in their folders, row by row. */
export class FolderLogs implements Logs<FolderRow> {
  readonly #folders: SessionFolders
  readonly #marks: Marks

  constructor(folders: SessionFolders, marks: Marks) {
    this.#folders = folders
    this.#marks = marks
  }

  session(id: string): FolderRow {
    const row = this.find(id)
    if (row === undefined) throw new WorkbenchError('SESSION_NOT_FOUND', `There is no session ${id}.`)
    return row
  }

  find(id: string): FolderRow | undefined {
    const entry = this.#folders.get(id)
    return entry === undefined || this.#marks.trashed.has(id) ? undefined : this.row(entry)
  }

  row(entry: Entry): FolderRow {
    const { key, id } = entry
    const { end, time, problem } = endOf(entry)
    return {
      key,
      id,
      entry,
      problem,
      end_seq: end,
      last_time: time,
      cuts: this.#marks.cuts.get(id) ?? 0,
      archived: this.#marks.archived.has(id) ? 1 : 0,
      has_children: this.#hasChildren(id) ? 1 : 0,
    }
  }

  readHeader({ entry, problem }: FolderRow): ReadHeader {
    return entry.header.kind === 'header' && problem !== null ? unreadableHeader(problem) : entry.header
  }

  events(key: number, fromSeq: number): Iterable<EventRow> {
    return this.#log(key)?.rows(fromSeq) ?? []
  }

  eventsBefore(key: number, before: number, limit: number): EventRow[] {
    return this.#log(key)?.rowsBefore(before, limit) ?? []
  }

  raw(key: number, fromSeq: number, limit: number): RawRow[] {
    const rows: RawRow[] = []
    for (const [seq, , type, data] of this.events(key, fromSeq)) {
      if (rows.length === limit) break
      rows.push({ seq: Number(seq), type: typeof type === 'string' ? type : '', text: shortText(data) })
    }
    return rows
  }

  rowsEnd(key: number): number {
    return this.#log(key)?.state().index.end ?? 0
  }

  openTurnStart(key: number, end: number): number | null {
    return this.#log(key)?.state().index.openTurnStart(end) ?? null
  }

  draft(key: number): Draft | null {
    return readDraft(this.draftText(this.#folders.at(key)) ?? undefined)
  }

  draftText({ folder }: Entry): string | null {
    return readSmall(join(folder, DRAFT_FILE), MOST_SIDE_BYTES)?.toString('utf8') ?? null
  }

  #log(key: number): SessionLog | null {
    return this.#folders.at(key).log
  }

  #hasChildren(id: string): boolean {
    for (const child of this.#folders.childrenOf(id)) {
      if (child.place.origin !== 'subagent' || child.header.kind !== 'header') continue
      if (!this.#marks.trashed.has(child.id) && endOf(child).end > 0) return true
    }
    return false
  }
}

/** What the record states of its log's end. */
export function endOf({ log }: Entry): { end: number; time: number | null; problem: string | null } {
  if (log === null) return { end: 0, time: null, problem: null }
  try {
    const { index, stated } = log.state()
    return { end: stated, time: index.lastTime, problem: null }
  } catch (error) {
    // It costs this row: its header says so, and the next look tries again.
    return { end: 0, time: null, problem: `Its log cannot be read (${fileProblem(error)}).` }
  }
}

function shortText(data: unknown): string {
  const text = data instanceof Uint8Array ? Buffer.from(data).toString('utf8') : String(data ?? '')
  if (text.length <= RAW_LENGTH) return text
  return [...text.slice(0, 2 * RAW_LENGTH)].slice(0, RAW_LENGTH).join('')
}

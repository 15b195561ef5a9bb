import type Database from 'better-sqlite3'

/** A text on its way into the index. */
export interface Text {
  readonly session: number
  readonly seq: number
  /** Epoch milliseconds. */
  readonly time: number
  readonly prepared: string
}

export interface PlacedText extends Text {
  readonly row: number
}

const HOUR_MS = 3_600_000
/** Room for so many texts in an hour; more go on in the next one. FTS5 stores steps between rows: short ones are small. */
const ROWS_AN_HOUR = 2 ** 14
const LAST_HOUR = 2 ** 31

/** Pages that one call of `merge` writes. */
const MERGE_PAGES = 32

export function hourOf(row: number): number {
  return Math.floor(row / ROWS_AN_HOUR)
}

/**
 * The rows of the index, to write. Transactions are the caller's. Where no word is looked for it reads `hits_content`,
 * the table in which FTS5 keeps what is not indexed: by row, where FTS5 itself would go through all.
 */
export class Hits {
  readonly #insert
  readonly #delete
  readonly #page
  readonly #lastBefore
  readonly #flush
  readonly #merge
  readonly #changes
  /** The next free row of an hour, of the texts since the last `forgetPlaces`. */
  readonly #free = new Map<number, number>()

  constructor(db: Database.Database) {
    this.#insert = db.prepare<[number, string, number, number, number]>(
      'INSERT INTO hits (rowid, text, session, seq, time) VALUES (?, ?, ?, ?, ?)',
    )
    this.#delete = db.prepare<[number]>('DELETE FROM hits WHERE rowid = ?')
    this.#page = db.prepare<[number, number], { row: number; session: number }>(
      'SELECT id AS row, c1 AS session FROM hits_content WHERE id > ? ORDER BY id LIMIT ?',
    )
    this.#lastBefore = db
      .prepare<[number], number>('SELECT id FROM hits_content WHERE id < ? ORDER BY id DESC LIMIT 1')
      .pluck()
    this.#flush = db.prepare("INSERT INTO hits (hits) VALUES ('flush')")
    this.#merge = db.prepare("INSERT INTO hits (hits, rank) VALUES ('merge', ?)")
    this.#changes = db.prepare<[], number>('SELECT total_changes()').pluck()
  }

  /** In the order in which they are to be inserted: FTS5 writes a piece of its index at each step back. */
  place(texts: readonly Text[]): PlacedText[] {
    const placed = texts.map(({ session, seq, time, prepared }) => ({
      row: this.#place(time),
      session,
      seq,
      time,
      prepared,
    }))
    return placed.sort((a, b) => a.row - b.row)
  }

  insert({ row, prepared, session, seq, time }: PlacedText): void {
    this.#insert.run(row, prepared, session, seq, time)
  }

  /** After a rollback, or when the rows are in the file. */
  forgetPlaces(): void {
    this.#free.clear()
  }

  remove(row: number): void {
    this.#delete.run(row)
  }

  page(afterRow: number, limit: number): { row: number; session: number }[] {
    return this.#page.all(afterRow, limit)
  }

  /** What was inserted becomes a segment of the index. */
  flush(): void {
    this.#flush.run()
  }

  /** Joins segments, a little at a time. False when there is nothing to join. */
  merge(): boolean {
    const before = this.#changes.get() ?? 0
    this.#merge.run(MERGE_PAGES)
    return (this.#changes.get() ?? 0) - before >= 2
  }

  #place(time: number): number {
    const begun = Math.floor(Number.isFinite(time) ? time / HOUR_MS : 0)
    for (let hour = Math.min(Math.max(begun, 0), LAST_HOUR); ; hour += 1) {
      const end = (hour + 1) * ROWS_AN_HOUR
      const row = this.#free.get(hour) ?? Math.max(hour * ROWS_AN_HOUR, (this.#lastBefore.get(end) ?? -1) + 1)
      if (row >= end) continue
      this.#free.set(hour, row + 1)
      return row
    }
  }
}

import type Database from 'better-sqlite3'
import { matchExpression, type Phrase, type Term } from './query.ts'

/** A hit in the index: the row says when, the rest where. */
export interface Hit {
  readonly row: number
  readonly session: number
  readonly seq: number
  readonly time: number
}

/**
 * A word that stands in more texts than this says nothing about any of them. FTS5's `bm25` counts the texts of each of
 * its phrases: one of such words alone is left out of the ranking, so that its cost does not grow with the logs.
 */
const MOST_TEXTS = 20_000

/** Best first, among equals the latest. The order depends on what is indexed alone, not on how it came there. */
export function rank(db: Database.Database, terms: readonly Term[], hits: readonly Hit[]): Hit[] {
  const scores = scoresOf(db, terms, hits)
  return [...hits].sort(
    (a, b) => (scores.get(a.row) ?? 0) - (scores.get(b.row) ?? 0) || b.time - a.time || b.row - a.row,
  )
}

/** By row, lower is better. */
function scoresOf(
  db: Database.Database,
  terms: readonly Term[],
  hits: readonly Hit[],
): ReadonlyMap<number, number> {
  const [first] = hits
  const last = hits.at(-1)
  if (first === undefined || last === undefined || hits.length === 1) return new Map()
  const telling = terms.filter(term => term.every(phrase => isTelling(db, phrase)))
  if (telling.length === 0) return new Map()
  const score = db
    .prepare<[string, number, number, string], [row: number, score: number]>(
      `SELECT rowid, bm25(hits) FROM hits
       WHERE hits MATCH ? AND rowid BETWEEN ? AND ? AND +rowid IN (SELECT value FROM json_each(?))`,
    )
    .raw()
  const rows = JSON.stringify(hits.map(({ row }) => row))
  return new Map(score.all(matchExpression(telling), last.row, first.row, rows))
}

/** Some word of it is in few texts: to count those of all of it costs little. */
function isTelling(db: Database.Database, { tokens, isPrefix }: Phrase): boolean {
  const count = db
    .prepare<[string, number], number>('SELECT count(*) FROM (SELECT 1 FROM hits WHERE hits MATCH ? LIMIT ?)')
    .pluck()
  return tokens.some((token, index) => {
    const word = { tokens: [token], isPrefix: isPrefix && index === tokens.length - 1 }
    return (count.get(matchExpression([[word]]), MOST_TEXTS + 1) ?? 0) <= MOST_TEXTS
  })
}

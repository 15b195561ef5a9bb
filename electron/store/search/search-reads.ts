import type Database from 'better-sqlite3'
import type { HitAuthor } from '#shared/contract/search.ts'
import { authorOf } from './author.ts'
import { type Excerpt, excerptOf } from './excerpt.ts'
import { hourOf } from './hits.ts'
import type { LogFacts, LogSource } from './log-source.ts'
import { matchExpression, parseQuery, type Term } from './query.ts'
import { type Hit, rank } from './rank.ts'
import { readableText } from './readable-text.ts'

export interface SearchRequest {
  readonly text: string
  readonly limit: number
  /** Of an earlier answer to the same text. */
  readonly cursor: string | null
  /** Only in these sessions; `null`: in all. */
  readonly sessions: readonly string[] | null
}

export interface FoundEvent {
  readonly sessionId: string
  readonly seq: number
  /** Epoch milliseconds. */
  readonly time: number
  readonly type: string
  readonly author: HitAuthor
  readonly excerpt: Excerpt
}

export interface FoundEvents {
  readonly events: readonly FoundEvent[]
  /** Asks for what comes behind; `null`: nothing does. */
  readonly next: string | null
}

/** Ranked together: the newest so many, up to a full hour, never all. */
const WINDOW = 2000
const WIDEST_WINDOW = 4000
/** Hits that one answer looks at, those of hidden sessions among them. */
const MOST_LOOKED_AT = 50_000

interface Window {
  readonly hits: readonly Hit[]
  /** The row from which the next window starts; `null`: there is none. */
  readonly below: number | null
}

/** Answers queries from an index, with texts from the logs. */
export function createSearchReads(db: Database.Database, source: LogSource) {
  const newest = db
    .prepare<[string, number], [row: number, session: number, seq: number, time: number]>(
      `SELECT rowid, session, seq, time FROM hits WHERE hits MATCH ? AND rowid < ? ORDER BY rowid DESC`,
    )
    .raw()
  const idOf = db.prepare<[number], string>('SELECT id FROM session WHERE no = ?').pluck()

  function windowBelow(expression: string, below: number, isShown: (session: number) => boolean): Window {
    const hits: Hit[] = []
    let lookedAt = 0
    for (const [row, session, seq, time] of newest.iterate(expression, below)) {
      const isFull =
        lookedAt >= MOST_LOOKED_AT ||
        hits.length >= WIDEST_WINDOW ||
        (hits.length >= WINDOW && hourOf(hits.at(-1)?.row ?? 0) !== hourOf(row))
      if (isFull) return { hits, below: row + 1 }
      lookedAt += 1
      if (isShown(session)) hits.push({ row, session, seq, time })
    }
    return { hits, below: null }
  }

  return (request: SearchRequest): FoundEvents => {
    const terms = parseQuery(request.text)
    if (terms.length === 0) return { events: [], next: null }
    const { below, skip } = readCursor(request.cursor)
    const sessions = new ShownSessions(no => idOf.get(no), source, request.sessions)
    const window = windowBelow(matchExpression(terms), below, session => sessions.get(session) !== null)
    const ranked = rank(db, terms, window.hits)
    const chosen = ranked.slice(skip, skip + request.limit)
    const events = chosen.flatMap(hit => read(hit, sessions.get(hit.session), terms) ?? [])
    return { events, next: cursorAfter(window, below, skip + chosen.length) }
  }

  function read({ seq, time }: Hit, facts: LogFacts | null, terms: readonly Term[]): FoundEvent | null {
    if (facts === null) return null
    const [row] = rowsOf(source, facts, seq)
    const text = row?.[0] === seq ? readableText(row) : null
    // The log has changed since it was indexed; the index is about to hear of it.
    if (row === undefined || text === null) return null
    const excerpt = excerptOf(text, terms)
    return { sessionId: facts.id, seq, time, type: String(row[2]), author: authorOf(row), excerpt }
  }
}

function rowsOf(source: LogSource, facts: LogFacts, seq: number) {
  try {
    return source.rows(facts.key, seq, 1)
  } catch {
    // Damage in this log costs its hits; opening the session says what is wrong with it.
    return []
  }
}

/** Sessions as they are now: what is in the trash or gone for good is not found, whatever the index still holds. */
class ShownSessions {
  readonly #idOf: (no: number) => string | undefined
  readonly #source: LogSource
  readonly #only: ReadonlySet<string> | null
  readonly #known = new Map<number, LogFacts | null>()

  constructor(idOf: (no: number) => string | undefined, source: LogSource, only: readonly string[] | null) {
    this.#idOf = idOf
    this.#source = source
    this.#only = only === null ? null : new Set(only)
  }

  get(no: number): LogFacts | null {
    const known = this.#known.get(no)
    if (known !== undefined) return known
    const id = this.#idOf(no)
    const isAsked = id !== undefined && (this.#only === null || this.#only.has(id))
    const facts = isAsked ? this.#source.session(id) : null
    const shown = facts === null || facts.isTrashed ? null : facts
    this.#known.set(no, shown)
    return shown
  }
}

/** `<row>.<hits>`: the window of hits below that row, and how many of it have been shown. */
function readCursor(cursor: string | null): { readonly below: number; readonly skip: number } {
  const [, row, shown] = /^(\d{1,16})\.(\d{1,9})$/.exec(cursor ?? '') ?? []
  if (row === undefined || shown === undefined) return { below: Number.MAX_SAFE_INTEGER, skip: 0 }
  return { below: Math.min(Number(row), Number.MAX_SAFE_INTEGER), skip: Number(shown) }
}

/** The first page fixes its window: what is logged meanwhile is above it. */
function cursorAfter({ hits, below: next }: Window, below: number, shown: number): string | null {
  if (shown < hits.length)
    return `${below === Number.MAX_SAFE_INTEGER ? (hits[0]?.row ?? 0) + 1 : below}.${shown}`
  return next === null ? null : `${next}.0`
}

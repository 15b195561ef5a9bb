import type { SessionId } from '#shared/session/ids.ts'
import { type Listed, labelOfListed, rowStateOfListed } from '../../store/listed.ts'
import type { LiveSession, State } from '../../store/state.ts'

/** What a search or a filter leaves. */
export type Shown = (id: SessionId) => boolean

interface Wish {
  readonly query: string
  readonly filter: State['filter']
}

interface Held extends Wish {
  readonly parents: State['parents']
  readonly matching: Set<SessionId>
  readonly shown: Shown
}

/**
 * What a search and a filter leave: rows that match, and every row above one that does. `null`: everything. Of a state
 * that follows the last one, only the sessions in `changed` are looked at, and of a longer word only those that had
 * the shorter one; the same function comes back when it leaves the same rows.
 */
export function createFilter(): (state: State, changed: Iterable<SessionId>) => Shown | null {
  let held: Held | null = null
  return (state, changed) => {
    const wish = { query: state.query.trim().toLowerCase(), filter: state.filter }
    if (wish.query === '' && wish.filter === 'all') {
      held = null
      return null
    }
    const before = held !== null && narrows(held, wish) ? held : null
    const isSameWish = before?.query === wish.query
    const matching = before?.matching ?? new Set<SessionId>()
    let differs = !isSameWish || before.parents !== state.parents
    for (const [id, listed] of before === null
      ? allListed(state)
      : someListed(state, isSameWish ? changed : [...matching, ...changed])) {
      const is = listed !== undefined && matches(id, listed, state.live.get(id), wish)
      if (is === matching.has(id)) continue
      differs = true
      if (is) matching.add(id)
      else matching.delete(id)
    }
    if (before !== null && !differs) return before.shown
    const rows = withAllAbove(matching, state.parents)
    held = { ...wish, parents: state.parents, matching, shown: id => rows.has(id) }
    return held.shown
  }
}

/** What did not match before does not match now. */
function narrows(before: Wish, now: Wish): boolean {
  if (before.filter !== now.filter || !now.query.includes(before.query)) return false
  const looksAtIds = now.query.length >= ID_PART && now.query !== before.query
  return !looksAtIds || before.query === '' || before.query.length >= ID_PART
}

function withAllAbove(matching: ReadonlySet<SessionId>, parents: State['parents']): ReadonlySet<SessionId> {
  const rows = new Set<SessionId>()
  for (const id of matching) {
    for (let at: SessionId | undefined = id; at !== undefined && !rows.has(at); at = parents.get(at))
      rows.add(at)
  }
  return rows
}

function* allListed(state: State): Iterable<readonly [SessionId, Listed]> {
  yield* state.summaries
  yield* state.entries
}

function* someListed(
  state: State,
  ids: Iterable<SessionId>,
): Iterable<readonly [SessionId, Listed | undefined]> {
  for (const id of ids) yield [id, state.entries.get(id) ?? state.summaries.get(id)]
}

function matches(
  id: SessionId,
  listed: Listed,
  live: LiveSession | undefined,
  { query, filter }: Wish,
): boolean {
  if (query !== '' && !labelOfListed(listed, live).toLowerCase().includes(query) && !isIdPart(id, query))
    return false
  if (filter === 'all') return true
  const row = rowStateOfListed(listed, live)
  if (filter === 'failed')
    return row === null || row === 'failed' || row === 'interrupted' || row === 'limited'
  return row === 'running' || row === 'waiting' || row === 'queued'
}

/** Two digits stand in every other id: only what must have been copied from one counts. */
const ID_PART = 6

function isIdPart(id: SessionId, query: string): boolean {
  return query.length >= ID_PART && id.toLowerCase().includes(query)
}

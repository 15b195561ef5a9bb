import type { SessionId } from '#shared/session/ids.ts'
import type { Client } from './client.ts'
import { failureOf } from './failure.ts'
import { withKey } from './keyed.ts'
import type { State, Store } from './state.ts'
import { EMPTY_TRANSCRIPT, type Transcript, trimmed, withPageAbove, withTailPage } from './transcripts.ts'

export interface TranscriptLoader {
  /** Starts to hold a session's transcript: its tail page is read at once, frames keep it up to date. */
  open(sessionId: SessionId): void
  /** Reads the page above what is held. Does nothing at the log's start or while one is being read. */
  loadAbove(sessionId: SessionId): Promise<void>
  /** Reads the tail again: after `behind`, after a failure, after a reconnect. */
  reload(sessionId: SessionId): Promise<void>
  /** Reads the tail again of every transcript that fell behind. */
  catchUp(): void
  reloadAll(): void
}

/** Transcripts held at once: the open one and those visited before it. */
const HELD = 6
const KEPT_EVENTS = 400
const PAGE = 200

export function createTranscriptLoader({
  store,
  client,
}: {
  readonly store: Store
  readonly client: Client
}): TranscriptLoader {
  const reading = new Set<SessionId>()

  async function reload(sessionId: SessionId): Promise<void> {
    if (reading.has(sessionId)) return
    reading.add(sessionId)
    update(store, sessionId, held =>
      held.status.kind === 'failed' ? { ...held, status: { kind: 'loading' } } : held,
    )
    try {
      const page = await client.history.page({ sessionId, limit: PAGE })
      update(store, sessionId, held => withTailPage(held, page))
      const { snapshot } = page
      if (snapshot !== null)
        store.setState(state => withSnapshot(state, sessionId, snapshot.asOfSeq, snapshot.values))
    } catch (error) {
      const failure = failureOf(error)
      update(store, sessionId, held =>
        held.status.kind === 'ready' ? held : { ...held, status: { kind: 'failed', failure } },
      )
    } finally {
      reading.delete(sessionId)
    }
  }

  async function loadAbove(sessionId: SessionId): Promise<void> {
    const held = store.getState().transcripts.get(sessionId)
    if (held?.status.kind !== 'ready' || held.nextBefore === null || held.above.kind === 'loading') return
    const before = held.nextBefore
    update(store, sessionId, transcript => ({ ...transcript, above: { kind: 'loading' } }))
    try {
      const page = await client.history.page({ sessionId, before, limit: PAGE })
      update(store, sessionId, transcript => withPageAbove(transcript, page, before))
    } catch (error) {
      const failure = failureOf(error)
      update(store, sessionId, transcript => ({ ...transcript, above: { kind: 'failed', failure } }))
    }
  }

  return {
    open: sessionId => {
      store.setState(({ transcripts }) => ({ transcripts: withOpened(transcripts, sessionId) }))
      const held = store.getState().transcripts.get(sessionId)
      if (held?.status.kind !== 'ready') void reload(sessionId)
    },
    loadAbove,
    reload,
    catchUp: () => {
      for (const [id, { behind }] of store.getState().transcripts) if (behind !== null) void reload(id)
    },
    reloadAll: () => {
      for (const id of store.getState().transcripts.keys()) void reload(id)
    },
  }
}

/** The newest visit last; the oldest go. A transcript that is not looked at keeps its tail only. */
export function withOpened(transcripts: State['transcripts'], id: SessionId): State['transcripts'] {
  const others = [...transcripts].filter(([other]) => other !== id).slice(-(HELD - 1))
  const next = new Map<SessionId, Transcript>(
    others.map(([other, held]) => [other, trimmed(held, KEPT_EVENTS)]),
  )
  return next.set(id, transcripts.get(id) ?? EMPTY_TRANSCRIPT)
}

function update(store: Store, id: SessionId, change: (held: Transcript) => Transcript): void {
  store.setState(state => {
    const held = state.transcripts.get(id)
    if (held === undefined) return state
    return { ...state, transcripts: new Map(state.transcripts).set(id, change(held)) }
  })
}

/** What the tail page says of a session's projections; frames that came meanwhile are newer where their seq is higher. */
function withSnapshot(
  state: State,
  id: SessionId,
  asOfSeq: number,
  values: Readonly<Record<string, unknown>>,
): State {
  const known = state.live.get(id)
  const cells = new Map(known?.cells)
  for (const [key, value] of Object.entries(values)) {
    const cell = cells.get(key)
    if (cell === undefined || cell.seq < asOfSeq) cells.set(key, { value, seq: asOfSeq })
  }
  const live = withKey(state.live, id, { epoch: state.epoch, floor: -1, ...known, cells })
  return { ...state, live }
}

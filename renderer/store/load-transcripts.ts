import type { SessionId } from '#shared/session/ids.ts'
import type { Client } from './client.ts'
import { failureOf } from './failure.ts'
import { withBaseline } from './live-values.ts'
import type { State, Store } from './state.ts'
import { EMPTY_TRANSCRIPT, type Transcript, trimmed, withPageAbove, withTailPage } from './transcripts.ts'

export interface TranscriptLoader {
  /**
   * Starts to hold a session's transcript: its tail page is read at once, frames keep it up to date. Resolves when
   * there is something to show of it, be it why there is nothing.
   */
  open(sessionId: SessionId): Promise<void>
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
  const reading = new Map<SessionId, { again: boolean; done: Promise<void> }>()

  async function reload(sessionId: SessionId): Promise<void> {
    const flight = reading.get(sessionId)
    if (flight !== undefined) {
      flight.again = true
      return
    }
    const mine = { again: false, done: Promise.resolve() }
    reading.set(sessionId, mine)
    mine.done = readOut(sessionId, mine)
    await mine.done
  }

  async function readOut(sessionId: SessionId, mine: { again: boolean }): Promise<void> {
    update(store, sessionId, held =>
      held.status.kind === 'failed' ? { ...held, status: { kind: 'loading' } } : held,
    )
    do {
      mine.again = false
      mine.again = (await read(sessionId)) || mine.again
    } while (mine.again)
    reading.delete(sessionId)
  }

  /** @returns whether to read again: what came belongs to an earlier subscription, or is behind what was told since. */
  async function read(sessionId: SessionId): Promise<boolean> {
    const { epoch, transcripts } = store.getState()
    const before = transcripts.get(sessionId)
    if (before === undefined) return false
    try {
      const page = await client.history.page({ sessionId, limit: PAGE })
      if (store.getState().epoch !== epoch) return true
      update(store, sessionId, held => withTailPage(held, page))
      const { snapshot } = page
      if (snapshot !== null) store.setState(state => withBaseline(state, sessionId, snapshot))
      const after = store.getState().transcripts.get(sessionId)
      return after !== undefined && after.behind !== null && after.endSeq > before.endSeq
    } catch (error) {
      const failure = failureOf(error)
      update(store, sessionId, held =>
        held.status.kind === 'ready' ? held : { ...held, status: { kind: 'failed', failure } },
      )
      return false
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
    open: async sessionId => {
      store.setState(({ transcripts }) => ({ transcripts: withOpened(transcripts, sessionId) }))
      const held = store.getState().transcripts.get(sessionId)
      if (held?.status.kind !== 'ready') await (reading.get(sessionId)?.done ?? reload(sessionId))
    },
    loadAbove,
    reload,
    catchUp: () => {
      for (const [id, { behind }] of store.getState().transcripts)
        if (behind !== null && !reading.has(id)) void reload(id)
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

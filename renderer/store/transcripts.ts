import type { HistoryPage } from '#shared/contract/session-shapes.ts'
import type { Frame } from '#shared/frames.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Damage } from '#shared/session/inspection.ts'
import type { Failure } from './failure.ts'
import { finishedMessage, type LivePiece, withoutPiece, withText } from './live-pieces.ts'

export type TranscriptStatus =
  /** Nothing of it is here yet. Not the same as empty. */
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready' }
  /** The first page could not be read. */
  | { readonly kind: 'failed'; readonly failure: Failure }

export type AboveStatus =
  | { readonly kind: 'idle' }
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly failure: Failure }

/** The tail window of one open session's log. `events` are in order and without holes but those the log has. */
export interface Transcript {
  readonly status: TranscriptStatus
  readonly events: readonly StoredEvent[]
  /** Seq of the first event held; `endSeq` when none is. */
  readonly firstSeq: number
  /** What to ask for to get the page above, `null` at the log's start. */
  readonly nextBefore: number | null
  /** How the page above is doing. */
  readonly above: AboveStatus
  /** Seq after the last event known. */
  readonly endSeq: number
  /** Events below this seq were inherited. */
  readonly seedLength: number
  /** A process hosts it as of the last page or frame. */
  readonly live: boolean
  readonly damage: readonly Damage[]
  /** By message id, in the order in which they began. */
  readonly pieces: ReadonlyMap<string, LivePiece>
  /** Seq after the last event that the host told of, held or not. */
  readonly told: number
  /** More was committed than is held: the tail has to be read again from this seq. */
  readonly behind: number | null
  /** Events that came before what lies between them and what is held. */
  readonly early: readonly StoredEvent[]
}

export type Transcripts = ReadonlyMap<SessionId, Transcript>

export const EMPTY_TRANSCRIPT: Transcript = {
  status: { kind: 'loading' },
  events: [],
  firstSeq: 0,
  nextBefore: null,
  above: { kind: 'idle' },
  endSeq: 0,
  seedLength: 0,
  live: false,
  damage: [],
  pieces: new Map(),
  told: 0,
  behind: null,
  early: [],
}

/** Kept of what came early; of more than that the page that is being read holds the rest, or the next one does. */
const MOST_EARLY = 1000

type TranscriptFrame = Extract<Frame, { kind: 'events' | 'behind' | 'text' | 'text-end' }>

/** One frame of an open session. Frames may come twice and late; what they bring is taken once and in order. */
export function applyToTranscript(transcript: Transcript, frame: TranscriptFrame): Transcript {
  switch (frame.kind) {
    case 'events':
      return appendEvents(transcript, frame.events)
    case 'behind':
      return frame.endSeq <= transcript.told ? transcript : withBehind({ ...transcript, told: frame.endSeq })
    case 'text':
      return { ...transcript, pieces: withText(transcript.pieces, frame) }
    case 'text-end':
      return { ...transcript, pieces: withoutPiece(transcript.pieces, frame.messageId) }
  }
}

/** Takes the events that are new. Those behind a hole wait until the tail, which is read again, fills it. */
export function appendEvents(transcript: Transcript, events: readonly StoredEvent[]): Transcript {
  const fresh: StoredEvent[] = []
  const early: StoredEvent[] = []
  const isReady = transcript.status.kind === 'ready'
  let { endSeq, pieces, told } = transcript
  for (const event of [...transcript.early, ...events]) {
    told = Math.max(told, event.seq + 1)
    if (!isReady || event.seq > endSeq) early.push(event)
    else if (event.seq === endSeq) {
      fresh.push(event)
      endSeq += 1
      pieces = withoutPiece(pieces, finishedMessage(event))
    }
  }
  if (fresh.length === 0 && early.length === transcript.early.length) return transcript
  const firstSeq = transcript.events.length === 0 ? (fresh[0]?.seq ?? endSeq) : transcript.firstSeq
  return withBehind({
    ...transcript,
    events: fresh.length === 0 ? transcript.events : [...transcript.events, ...fresh],
    firstSeq,
    endSeq,
    pieces,
    told,
    early: early.slice(-MOST_EARLY),
  })
}

function withBehind(transcript: Transcript): Transcript {
  const { status, told, endSeq } = transcript
  return { ...transcript, behind: status.kind === 'ready' && told > endSeq ? endSeq : null }
}

/** A new subscription: live text comes anew, and what the last one told of may be gone with its host. */
export function resubscribed(transcript: Transcript): Transcript {
  return { ...transcript, pieces: new Map(), told: 0, behind: null, early: [] }
}

/**
 * A page of the tail: the first one, or one read again after the window fell behind. It joins what is held when
 * the two touch; otherwise it replaces it.
 */
export function withTailPage(transcript: Transcript, page: HistoryPage): Transcript {
  const first = page.events[0]?.seq ?? page.endSeq
  const joins =
    transcript.status.kind === 'ready' && first <= transcript.endSeq && first >= transcript.firstSeq
  const above = joins ? transcript.events.filter(event => event.seq < first) : []
  const below = joins ? transcript.events.filter(event => event.seq >= page.endSeq) : []
  const events = [...above, ...page.events, ...below]
  const endSeq = joins ? Math.max(page.endSeq, transcript.endSeq) : page.endSeq
  let pieces = transcript.pieces
  for (const event of page.events) pieces = withoutPiece(pieces, finishedMessage(event))
  const merged: Transcript = {
    ...transcript,
    status: { kind: 'ready' },
    events,
    firstSeq: events[0]?.seq ?? endSeq,
    nextBefore: above.length > 0 ? transcript.nextBefore : page.nextBefore,
    above: { kind: 'idle' },
    endSeq,
    seedLength: page.seedLength,
    live: page.live,
    damage: page.damage,
    pieces: page.live ? pieces : new Map(),
    told: Math.max(transcript.told, endSeq),
  }
  return withBehind(appendEvents(merged, []))
}

/** The page above what is held. One that no longer fits (the window was replaced meanwhile) changes nothing. */
export function withPageAbove(transcript: Transcript, page: HistoryPage, before: number): Transcript {
  if (transcript.nextBefore !== before) return transcript
  const events = [...page.events.filter(event => event.seq < transcript.firstSeq), ...transcript.events]
  return {
    ...transcript,
    events,
    firstSeq: events[0]?.seq ?? transcript.firstSeq,
    nextBefore: page.nextBefore,
    above: { kind: 'idle' },
    damage: page.damage.length > 0 ? page.damage : transcript.damage,
  }
}

/** Lets go of all but the last `keep` events, so that what was once scrolled through does not stay in memory. */
export function trimmed(transcript: Transcript, keep: number): Transcript {
  if (transcript.events.length <= keep) return transcript
  const events = transcript.events.slice(-keep)
  const firstSeq = events[0]?.seq ?? transcript.endSeq
  return { ...transcript, events, firstSeq, nextBefore: firstSeq, above: { kind: 'idle' } }
}

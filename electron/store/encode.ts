import { WorkbenchError } from '#shared/errors.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import { dataText, sealedText, wellFormed } from './event-text.ts'
import type { AppendBatch, SessionCheckpoint, SessionPersistence } from './persistence.ts'
import type { EncodedBatch, EncodedCheckpoint, EncodedDraft, EncodedEvents } from './wire.ts'

type SessionDraft = Parameters<SessionPersistence['saveDrafts']>[0][number]

/** Events between two looks at the clock, so that a long batch can be encoded in slices. */
const EVENTS_A_STEP = 64

/**
 * Checks and encodes a run of events; the data of sealed ones is known to be lossless. It yields now and then: the
 * caller decides how long to go on at a time.
 * @throws WorkbenchError `SEQ_CONFLICT` when seqs are not dense from `firstSeq`, `BAD_REQUEST` for lossy data.
 */
export function* encodeEvents(
  firstSeq: number,
  events: readonly StoredEvent[],
  isSealed = false,
): Generator<void, EncodedEvents> {
  const times: number[] = []
  const types: string[] = []
  const texts: string[] = []
  const ignorable: number[] = []
  for (const [index, event] of events.entries()) {
    if (event.seq !== firstSeq + index) {
      const problem = `Event ${event.seq} (${event.type}) cannot be saved where ${firstSeq + index} is due.`
      throw new WorkbenchError('SEQ_CONFLICT', problem)
    }
    if (!Number.isFinite(event.time)) {
      throw new WorkbenchError('BAD_REQUEST', `A ${event.type} event has no time.`)
    }
    times.push(event.time)
    types.push(event.type)
    texts.push(isSealed ? sealedText(event) : dataText(event))
    if (event.ignorable === true) ignorable.push(index)
    if (index % EVENTS_A_STEP === EVENTS_A_STEP - 1) yield
  }
  return { firstSeq, times, types, texts, ignorable }
}

export function* encodeAll<T, E>(
  items: readonly T[],
  encode: (item: T) => Generator<void, E>,
): Generator<void, E[]> {
  const encoded: E[] = []
  for (const item of items) {
    encoded.push(yield* encode(item))
    yield
  }
  return encoded
}

export function* encodeCheckpoint(checkpoint: SessionCheckpoint): Generator<void, EncodedCheckpoint> {
  const encoded = checkpointText(checkpoint)
  yield
  return encoded
}

/** The same at one go, for where nobody waits: in the thread. */
export function checkpointText({ sessionId, facts, faults, rows }: SessionCheckpoint): EncodedCheckpoint {
  const encoded = rows.map(
    ({ key, stateVersion, seq, state }) => [key, stateVersion, seq, JSON.stringify(state) ?? 'null'] as const,
  )
  return { sessionId, facts, faults: [...faults], rows: encoded }
}

export function* encodeBatch(batch: AppendBatch): Generator<void, EncodedBatch> {
  return {
    sessionId: batch.sessionId,
    events: yield* encodeEvents(batch.expectedSeq, batch.events, batch.sealed),
  }
}

export function* encodeDraft({ sessionId, draft }: SessionDraft): Generator<void, EncodedDraft> {
  yield
  return { sessionId, text: draft === null ? null : wellFormed(JSON.stringify(draft)) }
}

import { Fold } from '#shared/projection/fold.ts'
import { UNITS } from '#shared/projection/units.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import { lifecycleFacts, type SessionHeader } from '#shared/session/header.ts'
import type { CheckpointStore } from '../store/persistence.ts'

export type WriteCheckpoints = (header: SessionHeader, events: readonly StoredEvent[]) => Promise<void>

/** Folds a whole log once and stores the rows, so that an imported child is listed without reading its log. */
export function createCheckpointWriter(store: Pick<CheckpointStore, 'write'>): WriteCheckpoints {
  return async (header, events) => {
    const fold = new Fold(UNITS, header)
    for (const event of events) fold.apply(event)
    // The snapshot makes every view run, so that a unit that breaks there is among the faults as well.
    const faults = fold.snapshot().faults.map(({ key }) => key)
    await store.write([
      { sessionId: header.id, facts: lifecycleFacts(header), rows: fold.checkpoint(), faults },
    ])
  }
}

import { messageOf, WorkbenchError } from '#shared/errors.ts'
import type { FoldSnapshot } from '#shared/projection/fold.ts'
import type { SubagentIdentity, SubagentState } from '#shared/projection/units/subagent.ts'
import { lifecycleFacts, type SessionHeader } from '#shared/session/header.ts'
import type { Damage } from '#shared/session/inspection.ts'
import type { CheckpointedValues, FoldedInspection } from '../../store/persistence.ts'
import { type CatalogDeps, type CatalogParts, cancellable } from './catalog-deps.ts'
import type { Reading } from './reading.ts'

/** First rung: a live child is read from the registry, with no log read. Other live sessions are no one's rows. */
export function readLive({ registry }: CatalogParts, { id, origin }: SessionHeader): Reading {
  const snapshot = origin === 'subagent' ? registry.snapshot(id) : null
  if (snapshot === null) return { kind: 'creating' }
  return ofSnapshot(snapshot, registry.stateOf(id, 'subagent') as SubagentState | null, [], true)
}

/**
 * Second rung: a checkpoint for the same header, with an identity from the child's own suffix that no later
 * descriptor overrides. Anything else falls through: a checkpoint never makes a child corrupt.
 */
export function readCheckpoint(
  header: SessionHeader,
  checkpoint: CheckpointedValues | undefined,
): Reading | null {
  if (checkpoint === undefined || checkpoint.facts !== lifecycleFacts(header)) return null
  if (checkpoint.faults.length > 0) return null
  const identity = checkpoint.values['subagent'] as SubagentIdentity | null | undefined
  if (!identity || identity.seq < (header.seedLength ?? 0)) return null
  if (checkpoint.lastDescriptorSeq !== null && checkpoint.lastDescriptorSeq > identity.seq) return null
  const state = checkpoint.subagentState as SubagentState | null
  return { kind: 'identity', identity, state, values: checkpoint.values, damage: [] }
}

/** Third rung: one read and one fold of the log. A failure is this child's alone; the next listing tries again. */
export async function readLog(
  deps: CatalogDeps,
  header: SessionHeader,
  signal: AbortSignal | undefined,
): Promise<Reading> {
  const read = deps.persistence?.inspectFolded(header.id, signal)
  if (read === undefined) return unavailable('STORE_UNAVAILABLE')
  let inspection: FoldedInspection
  try {
    inspection = await cancellable(read, signal)
  } catch (error) {
    if (signal?.aborted) throw error
    return unavailable(error instanceof WorkbenchError ? error.code : messageOf(error).slice(0, 200))
  }
  if (lifecycleFacts(inspection.header) !== lifecycleFacts(header)) {
    // Another life of this id: nothing of it belongs in this parent's list, whatever else is wrong with it.
    return { kind: 'corrupt', detail: { cause: 'header-changed' }, identity: null, values: {} }
  }
  const { snapshot, subagentState, damage } = inspection
  const state = subagentState as SubagentState | null
  const unreadable = damage.find(item => item.kind !== 'damaged-tail')
  const identity = state?.identity ?? null
  if (unreadable !== undefined) {
    return { kind: 'unavailable', detail: { cause: unreadable.kind }, identity, values: snapshot.values }
  }
  return ofSnapshot(snapshot, state, damage, false)
}

function ofSnapshot(
  { values, faults }: FoldSnapshot,
  state: SubagentState | null,
  damage: readonly Damage[],
  isLive: boolean,
): Reading {
  const identity = (values['subagent'] ?? null) as SubagentIdentity | null
  const fault = faults[0]
  if (fault !== undefined) {
    return { kind: 'corrupt', detail: { cause: 'unit-fault', unit: fault.key }, identity, values }
  }
  if (identity !== null) return { kind: 'identity', identity, state, values, damage }
  if (isLive) return { kind: 'creating' }
  return { kind: 'corrupt', detail: { cause: `descriptor-${state?.absence ?? 'missing'}` }, identity, values }
}

function unavailable(code: string): Reading {
  return { kind: 'unavailable', detail: { cause: 'read-failed', code }, identity: null, values: {} }
}

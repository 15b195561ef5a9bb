import { SubagentError } from '#shared/errors.ts'
import type { FoldSnapshot } from '#shared/projection/fold.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Json } from '#shared/session/json.ts'
import type { ListExtra } from '#shared/subagent/catalog-entry.ts'
import type { CheckpointStore, SessionPersistence } from '../../store/persistence.ts'

/**
 * What a listing reads. Everything but the first two may be missing: without persistence there are only live
 * children, without checkpoints each cold child costs one read.
 */
export interface CatalogDeps {
  readonly sessions: { list(): readonly { readonly header: SessionHeader }[] } | undefined
  readonly registry:
    | {
        snapshot(id: SessionId): FoldSnapshot | null
        stateOf(id: SessionId, key: string): unknown
        valueOf(id: SessionId, key: string): Json | undefined
      }
    | undefined
  readonly persistence?: Pick<SessionPersistence, 'list' | 'get' | 'inspectFolded'> | undefined
  readonly checkpoints?: Pick<CheckpointStore, 'read'> | undefined
  /**
   * Says whether a folder is gone. Asked once per folder, after the rows, never on the main thread. One that fails
   * or takes longer than a second says nothing.
   */
  readonly isFolderMissing?: ((path: string) => Promise<boolean>) | undefined
}

export interface ListOptions {
  readonly signal?: AbortSignal | undefined
  readonly with?: readonly ListExtra[] | undefined
}

export interface CatalogParts {
  readonly sessions: NonNullable<CatalogDeps['sessions']>
  readonly registry: NonNullable<CatalogDeps['registry']>
}

/** Checked first, in this order, also when there is nothing to list (contracts §6.1). */
export function requireParts(deps: CatalogDeps, signal: AbortSignal | undefined): CatalogParts {
  const { registry, sessions } = deps
  if (registry === undefined) {
    throw new SubagentError(
      'SUBAGENT_CONTROL_PROJECTIONS_UNAVAILABLE',
      'Children cannot be listed: no projections.',
    )
  }
  if (sessions === undefined) {
    throw new SubagentError(
      'SUBAGENT_CONTROL_SESSION_STORE_UNAVAILABLE',
      'Children cannot be listed: no sessions.',
    )
  }
  throwIfCancelled(signal)
  return { sessions, registry }
}

export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new SubagentError('CANCELLED', 'The listing was cancelled.', { cause: signal.reason })
}

/** Awaits a read; whatever it ends with, an abort wins and is always `CANCELLED` (contracts §6.6). */
export async function cancellable<T>(read: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await read
  } finally {
    throwIfCancelled(signal)
  }
}

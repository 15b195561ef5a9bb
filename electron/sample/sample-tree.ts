import type { SessionId } from '#shared/session/ids.ts'
import { toSessionId } from '#shared/session/ids.ts'
import type { SessionPersistence } from '../store/persistence.ts'

/** The id under which the sample lives: it is played at most once per data folder. */
export const SAMPLE_ROOT: SessionId = toSessionId('sample-garden-wall')

export interface Sample {
  /** `null` until it was played, and after it was put into the trash. */
  rootId(): Promise<SessionId | null>
}

export function createSample(persistence: Pick<SessionPersistence, 'get'>): Sample {
  return {
    rootId: async () => (await persistence.get(SAMPLE_ROOT))?.header.id ?? null,
  }
}

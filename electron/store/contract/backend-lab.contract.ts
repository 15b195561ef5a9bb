import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { Fold } from '#shared/projection/fold.ts'
import { UNITS } from '#shared/projection/units.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import { lifecycleFacts, type SessionHeader } from '#shared/session/header.ts'
import { type SessionId, toSessionId } from '#shared/session/ids.ts'
import { log, user } from '../fixtures/logs.ts'
import type { CheckpointStore, SessionCheckpoint, SessionPersistence } from '../persistence.ts'

export interface OpenBackend {
  readonly persistence: SessionPersistence
  readonly checkpoints: CheckpointStore
  close(): Promise<void>
}

/** A backend in a folder of its own, for each test anew. */
export interface BackendLab {
  /** The one that is open now. */
  readonly backend: OpenBackend
  create(header: SessionHeader, events?: readonly StoredEvent[]): Promise<void>
  append: AppendOne
  ids(filter: Parameters<SessionPersistence['list']>[0]): Promise<readonly SessionId[]>
  /** Closes it and opens the same folder again. */
  reopen(): Promise<void>
  /** Writes what a fold of the log gives, or something that is wrong about it. */
  checkpoint(id: string, change?: CheckpointChange): Promise<SessionCheckpoint['rows']>
}

interface CheckpointChange {
  readonly facts?: string
  readonly faults?: readonly string[]
  /** Of the units that get a row; all without it. */
  readonly keys?: readonly string[]
}

type AppendOne = (
  id: SessionId,
  expectedSeq: number,
  events: readonly StoredEvent[],
) => Promise<Awaited<ReturnType<SessionPersistence['append']>>[number] | undefined>

export function backendLab(open: (dataFolder: string) => Promise<OpenBackend>): BackendLab {
  let folder: string
  let backend: OpenBackend
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'espalier-store-'))
    backend = await open(folder)
  })
  afterEach(async () => {
    await backend.close()
    rmSync(folder, { recursive: true })
  })
  return {
    get backend() {
      return backend
    },
    create: (header, events = log([['turn/start', { turn: 1 }], user('x')])) =>
      backend.persistence.create(header, events),
    append: async (sessionId, expectedSeq, events) =>
      (await backend.persistence.append([{ sessionId, expectedSeq, events }]))[0],
    ids: async filter => (await backend.persistence.list(filter)).sessions.map(({ header }) => header.id),
    reopen: async () => {
      await backend.close()
      backend = await open(folder)
    },
    checkpoint: async (id, { facts, faults = [], keys } = {}) => {
      const { header, events } = await backend.persistence.inspect(toSessionId(id))
      const fold = new Fold(UNITS, header)
      for (const event of events) fold.apply(event)
      const rows = fold.checkpoint().filter(({ key }) => keys?.includes(key) ?? true)
      await backend.checkpoints.write([
        { sessionId: header.id, facts: facts ?? lifecycleFacts(header), faults, rows },
      ])
      return rows
    },
  }
}

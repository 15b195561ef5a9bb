import type { ImportReport } from '#shared/contract.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { Log } from '../log.ts'
import type { CheckpointStore, SessionPersistence } from '../store/persistence.ts'
import { createCheckpointWriter } from './checkpoint-writer.ts'
import { findSources, type HistorySource } from './find-sources.ts'
import { importPaths } from './import-run.ts'

export interface ImportsDeps {
  readonly store: { readonly persistence: SessionPersistence; readonly checkpoints: CheckpointStore }
  /** Told of each new root. */
  readonly streams: { listed(frame: { kind: 'added'; header: SessionHeader }): void }
  readonly log: Log
  readonly home: string
}

export interface Imports {
  /** What other tools left in the home folder, by names only. */
  find(): Promise<HistorySource[]>
  /** One at a time: a second request waits for the first. Never writes to a source. */
  run(paths: readonly string[], signal?: AbortSignal): Promise<ImportReport[]>
}

export function createImports({ store, streams, log, home }: ImportsDeps): Imports {
  let last: Promise<unknown> = Promise.resolve()
  const run = async (paths: readonly string[], signal: AbortSignal | undefined): Promise<ImportReport[]> => {
    const reports = await importPaths(paths, {
      persistence: store.persistence,
      writeCheckpoints: createCheckpointWriter(store.checkpoints),
      log: message => log.warn(message),
      ...(signal !== undefined && { signal }),
    })
    for (const id of reports.flatMap(({ roots }) => roots)) {
      const stored = await store.persistence.get(id)
      if (stored !== null) streams.listed({ kind: 'added', header: stored.header })
    }
    return reports
  }
  return {
    find: () => findSources(home),
    run(paths, signal) {
      const next = last.then(() => run(paths, signal))
      // The chain goes on whatever became of this one; its caller hears of the failure.
      last = next.catch(() => undefined)
      return next
    },
  }
}

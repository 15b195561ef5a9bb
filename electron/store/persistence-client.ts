import { WorkbenchError } from '#shared/errors.ts'
import { type SessionHeader, sessionHeaderSchema } from '#shared/session/header.ts'
import { encodeAll, encodeBatch, encodeDraft, encodeEvents } from './encode.ts'
import type { SessionPersistence } from './persistence.ts'
import type { ThreadClient } from './thread-client.ts'
import type { WriteOrder } from './write-order.ts'

/** `SessionPersistence` over the store thread. Arrays are copied when they are handed in, events are not. */
export function createPersistence(
  thread: Pick<ThreadClient, 'call'>,
  writes: WriteOrder,
  inspectFolded: SessionPersistence['inspectFolded'],
): SessionPersistence {
  /** Step by step: appends go between. */
  async function finishPurges(): Promise<void> {
    while (!(await thread.call('purgeStep', [])));
  }

  return {
    create: async (header, events) => {
      const checked = checkHeader(header)
      await writes.submit(encodeEvents(0, [...events]), encoded => thread.call('create', [checked, encoded]))
    },
    append: batches => {
      const copies = batches.map(batch => ({ ...batch, events: [...batch.events] }))
      return writes.submit(encodeAll(copies, encodeBatch), encoded => thread.call('append', [encoded]))
    },
    saveDrafts: async drafts => {
      await writes.submit(encodeAll([...drafts], encodeDraft), encoded =>
        thread.call('saveDrafts', [encoded]),
      )
    },
    list: (filter, signal) => thread.call('list', [filter], signal),
    get: (id, signal) => thread.call('get', [id], signal),
    inspect: (id, signal) => thread.call('inspect', [id], signal),
    inspectFolded,
    load: async (id, signal) => {
      for (;;) {
        const plan = await thread.call('planLoad', [id], signal)
        const loaded = await thread.call('commitLoad', [id, plan], signal)
        if (loaded !== null) return loaded
      }
    },
    readFrom: async (id, seq, limit, signal) => {
      const { events } = await thread.call('readFrom', [id, count(seq), count(limit)], signal)
      return events
    },
    page: (id, { before, limit, shortened = false }, signal) =>
      thread.call('page', [id, before === undefined ? null : count(before), count(limit), shortened], signal),
    raw: (id, fromSeq, limit) => thread.call('raw', [id, count(fromSeq), count(limit)]),
    archive: (id, archived) => thread.call('archive', [id, archived]),
    trash: id => thread.call('trash', [id]),
    restore: id => thread.call('restore', [id]),
    trashed: () => thread.call('trashed', []),
    purge: async id => {
      const sessions = await thread.call('condemn', [id])
      await finishPurges()
      return sessions
    },
    finishPurges,
    revision: (id, signal) => thread.call('revision', [id], signal),
    check: () => thread.call('check', []),
  }
}

function checkHeader(header: SessionHeader): SessionHeader {
  const parsed = sessionHeaderSchema.safeParse(header)
  if (parsed.success) return parsed.data
  const fields = [...new Set(parsed.error.issues.map(issue => issue.path.join('.')))].join(', ')
  throw new WorkbenchError('BAD_REQUEST', `The header of the new session is not valid (${fields}).`)
}

/** A seq or a limit as SQLite takes it: whole, not negative, finite. */
function count(value: number): number {
  return Math.min(Math.max(0, Math.trunc(value) || 0), Number.MAX_SAFE_INTEGER)
}

import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Store } from '../store/store-client.ts'
import type { Killer } from './killer.ts'
import { fingerprint, type Say } from './testimony.ts'

/** A store that says what it made durable, once it said so itself, and in whose methods the process can die. */
export function witnessed(store: Store, killer: Killer, say: Say): Store {
  const { persistence, checkpoints, outputs } = store
  const saved = (session: SessionId, events: readonly StoredEvent[]) => {
    const seq = events[0]?.seq
    if (seq !== undefined) say({ kind: 'saved', session, seq, prints: events.map(fingerprint) })
  }
  return {
    ...store,
    persistence: {
      ...persistence,
      async create(header, events) {
        killer.reach(header.seedLength === undefined ? 'create' : 'fork')
        await persistence.create(header, events)
        saved(header.id, events)
      },
      async append(batches) {
        killer.reach('append')
        const results = await persistence.append(batches)
        for (const [index, { sessionId, events }] of batches.entries()) {
          if (results[index] === 'written') saved(sessionId, events)
          else say({ kind: 'fault', what: `an append to ${sessionId} was refused: ${results[index]}` })
        }
        return results
      },
      async load(id, signal) {
        killer.reach('resume')
        const loaded = await persistence.load(id, signal)
        // Also of a session whose creation was cut off before it was answered.
        saved(id, loaded.events)
        return loaded
      },
      async saveDrafts(drafts) {
        if (drafts.some(({ draft }) => draft !== null)) killer.reach('draft')
        await persistence.saveDrafts(drafts)
        for (const { sessionId: session, draft } of drafts) {
          const texts = draft?.content.flatMap(block => (block.type === 'text' ? [block.text] : [])) ?? []
          if (draft !== null)
            say({ kind: 'draft', session, messageId: draft.id, length: texts.join('').length })
        }
      },
    },
    outputs: {
      ...outputs,
      async append(session, id, from, bytes) {
        // Its buffer is handed over.
        const size = from + bytes.length
        killer.reach('output')
        await outputs.append(session, id, from, bytes)
        say({ kind: 'output', session, id, size })
      },
    },
    checkpoints: {
      ...checkpoints,
      async write(rows) {
        killer.reach('checkpoint')
        await checkpoints.write(rows)
      },
      async catchUp(ids) {
        killer.reach('catch-up')
        await checkpoints.catchUp(ids)
      },
    },
  }
}

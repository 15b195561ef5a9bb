import type { implement } from '@orpc/server'
import type { contract } from '#shared/contract.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Actor } from './world.ts'

type Implementer = ReturnType<typeof implement<typeof contract>>

/** Exports of a world in memory: as jsonl whatever was asked for, in parts of a few events so that progress shows. */
export function createFakeExports(os: Implementer, known: (id: SessionId) => Actor) {
  const open = new Map<string, { lines: string[]; written: number }>()
  const PART = 5
  return {
    session: os.exports.session.handler(({ input }) => {
      const actor = known(input.sessionId)
      const exportId = crypto.randomUUID()
      open.set(exportId, { lines: actor.events.map(event => JSON.stringify(event)), written: 0 })
      return { exportId, label: actor.label ?? 'Session', sessions: 1, events: actor.events.length }
    }),
    read: os.exports.read.handler(({ input }) => {
      const state = open.get(input.exportId) ?? { lines: [], written: 0 }
      const part = state.lines.slice(state.written, state.written + PART)
      state.written += part.length
      const done = state.written >= state.lines.length
      return {
        text: part.map(line => `${line}\n`).join(''),
        events: state.written,
        sessions: done ? 1 : 0,
        done,
      }
    }),
    cancel: os.exports.cancel.handler(({ input }) => {
      open.delete(input.exportId)
      return {}
    }),
  }
}

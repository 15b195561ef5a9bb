import type { Frame } from '#shared/frames.ts'
import { childId } from '../../renderer/gallery/large-state.ts'

/** Batches from the start of a turn to the next one. */
const TURN = 120

/** What the host tells in one batch of children that work: their tools, tokens and time, and now and then an end. */
export function framesOf(sessions: number, batch: number): Frame[] {
  return Array.from({ length: sessions }, (_, index) => framesOfChild(index * 7, batch)).flat()
}

function framesOfChild(index: number, batch: number): Frame[] {
  const sessionId = childId(index)
  const at = (batch + index) % TURN
  const value = (key: string, one: Extract<Frame, { kind: 'projection' }>['value']): Frame => ({
    kind: 'projection',
    sessionId,
    key,
    value: one,
    seq: batch,
  })
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: null }
  const told: Frame[] = [
    value('usage', { own: { ...none, input: 1000 + batch * 10 }, inherited: none, model: 'rehearsal-1' }),
    value('doing', { kind: 'tool', verb: 'Read', target: `src/part-${batch}.ts`, since: Date.now() }),
  ]
  if (at !== 1 && at !== TURN / 2) return told
  const runs = at === 1
  return [
    ...told,
    { kind: 'activity', sessionId, activity: runs ? 'running' : 'inactive' },
    value('outcome', { kind: runs ? 'running' : 'completed' }),
    value('subagentTiming', { settledMs: 1000, runningSince: runs ? Date.now() : null, through: null }),
  ]
}

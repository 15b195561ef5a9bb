import { readEvent, type StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'

/** A stretch of time, epoch ms. `to` is `null` while it goes on. */
export interface Stretch {
  readonly from: number
  readonly to: number | null
}

/** What a log, or its tail, says of when its agent worked. */
export interface Activity {
  /** It begins where the log does; else there was more before. */
  readonly whole: boolean
  readonly turns: readonly Stretch[]
  /** When each tool call began. */
  readonly calls: readonly number[]
  /** From each question to its answer. */
  readonly waits: readonly Stretch[]
  readonly started: ReadonlyMap<SessionId, number>
  readonly settled: ReadonlyMap<SessionId, number>
}

const TOLD = new Set([
  'turn/start',
  'turn/end',
  'tool/call',
  'approval/asked',
  'approval/decided',
  'subagent/settled',
])

/**
 * Folds the own events of a session. A window that begins inside a turn lets that turn begin with the window:
 * it was at work then at the latest.
 */
export function activityOf(events: readonly StoredEvent[], seedLength: number): Activity {
  const turns: Stretch[] = []
  const calls: number[] = []
  const waits = new Map<string, Stretch>()
  const started = new Map<SessionId, number>()
  const settled = new Map<SessionId, number>()
  let open: number | null = null
  const own = events.filter(({ seq }) => seq >= seedLength)
  const begins = own[0]?.time ?? 0
  for (const stored of own) {
    if (!TOLD.has(stored.type)) continue
    const event = readEvent(stored)
    switch (event?.type) {
      case 'turn/start':
        open = event.time
        break
      case 'turn/end':
        turns.push({ from: open ?? begins, to: event.time })
        open = null
        for (const [id, wait] of waits) if (wait.to === null) waits.set(id, { ...wait, to: event.time })
        break
      case 'tool/call':
        calls.push(event.time)
        if (event.data.childId !== undefined) started.set(event.data.childId, event.time)
        break
      case 'approval/asked':
        waits.set(event.data.approvalId, { from: event.time, to: null })
        break
      case 'approval/decided': {
        const wait = waits.get(event.data.approvalId)
        if (wait !== undefined) waits.set(event.data.approvalId, { ...wait, to: event.time })
        break
      }
      case 'subagent/settled':
        settled.set(event.data.childId, event.time)
        break
      default:
        break
    }
  }
  if (open !== null) turns.push({ from: open, to: null })
  const whole = (events[0]?.seq ?? 0) <= seedLength
  return { whole, turns, calls, waits: [...waits.values()], started, settled }
}

import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StoredEvent } from '#shared/session/events.ts'
import type { Session } from '../session/session.ts'
import type { KillPlan, KillPoint } from './kill-plan.ts'
import type { Say } from './testimony.ts'

/** Shorter delays hold the main loop, so that the death falls into what the store thread does meanwhile. */
const SPIN_BELOW_US = 2000

/** Ends this process where its plan says, by a signal that nobody can handle. */
export class Killer {
  readonly #plan: KillPlan
  readonly #say: Say
  #facts = 0
  #met = 0

  constructor(plan: KillPlan, say: Say) {
    this.#plan = plan
    this.#say = say
  }

  /** Something is about to be asked of the store, or was just logged. */
  reach(point: KillPoint): void {
    const { when } = this.#plan
    if (when.kind !== 'point' || when.point !== point) return
    this.#met += 1
    if (this.#met !== when.nth) return
    if (when.delayUs >= SPIN_BELOW_US) void sleep(when.delayUs / 1000).then(() => this.#die(point))
    // After the request was posted: the caller does that before it gives way.
    else process.nextTick(() => this.#spinAndDie(when.delayUs, point))
  }

  observe(session: Session, event: StoredEvent): void {
    this.#facts += 1
    const { when } = this.#plan
    if (when.kind === 'facts' && this.#facts >= when.count) this.#die('count')
    const point = pointOf(session, event)
    if (point !== null) this.reach(point)
  }

  #spinAndDie(delayUs: number, point: KillPoint): void {
    const end = performance.now() + delayUs / 1000
    while (performance.now() < end);
    this.#die(point)
  }

  #die(at: string): void {
    this.#say({ kind: 'dying', at })
    process.kill(process.pid, 'SIGKILL')
  }
}

function pointOf({ header }: Session, { type, data }: StoredEvent): KillPoint | null {
  switch (type) {
    case 'turn/start':
      return 'turn'
    case 'tool/call':
      return 'call'
    case 'approval/decided':
      return 'decision'
    case 'turn/end':
      return header.origin === 'subagent' ? 'child-end' : null
    case 'subagent/settled':
      return 'settlement'
    case 'tool/result':
      return hasField(data, 'childSeq') ? 'settlement' : null
    case 'inbox/queued':
      return hasField(data, 'mode') && data.mode === 'steer' ? 'steer' : null
    default:
      return null
  }
}

function hasField<K extends string>(data: unknown, key: K): data is Record<K, unknown> {
  return typeof data === 'object' && data !== null && key in data
}

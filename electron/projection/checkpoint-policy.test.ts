import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { UNITS } from '#shared/projection/units.ts'
import { lifecycleFacts } from '#shared/session/header.ts'
import { headerOf } from '../session/fixtures/live-store.ts'
import { LiveSessions } from '../session/live-sessions.ts'
import type { Session } from '../session/session.ts'
import type { AppendResult, SessionCheckpoint } from '../store/persistence.ts'
import { CheckpointPolicy } from './checkpoint-policy.ts'
import { ProjectionRegistry } from './registry.ts'

/*
 * When checkpoints are written. Numbers are those of the study's §8.10: here 1–7, 8–18 are `store/cold-fold.test.ts`. On
 * purpose different: 200 events or 5 s between two events, gathered for 50 ms, and no timer that wakes a silent session
 * (4); no write is asked for by hand, `settle` writes what is due and no more (5, 6); a state that is no JSON costs its
 * unit the row, and is never handed to the store (5: `hostile-units.test.ts`).
 */

let live: LiveSessions
let registry: ProjectionRegistry
let policy: CheckpointPolicy
let writes: (readonly SessionCheckpoint[])[]
let problems: unknown[]
let clock: number
/** What happens at the store, in its order. */
let order: string[]
let append: () => Promise<AppendResult>
let write: () => Promise<void>

beforeEach(() => {
  vi.useFakeTimers()
  writes = []
  problems = []
  order = []
  clock = 1000
  append = async () => 'written'
  write = async () => {}
  live = new LiveSessions({
    persistence: {
      create: async () => {},
      readFrom: async () => [],
      append: async batches => {
        const results = await Promise.all(batches.map(append))
        order.push('append')
        return results
      },
    },
    now: () => clock,
    onError: error => problems.push(error),
    onTrouble: () => {},
  })
  registry = new ProjectionRegistry(UNITS, error => problems.push(error))
  registry.follow(live)
  policy = new CheckpointPolicy({
    live,
    registry,
    checkpoints: {
      write: async checkpoints => {
        order.push('checkpoint')
        writes.push(checkpoints)
        await write()
      },
    },
    onError: error => problems.push(error),
  })
  live.onRemoved(session => registry.forget(session))
})
afterEach(() => {
  vi.useRealTimers()
})

const open = (name = 's') => live.create(headerOf(name), [])
const says = (session: Session, count = 1) => {
  for (; count > 0; count -= 1)
    session.append({ type: 'session/title', data: { title: 'x', source: 'person' } })
}
const ends = (session: Session) =>
  session.append({ type: 'turn/end', data: { turn: 1, reason: { kind: 'completed' } } })
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const written = () =>
  writes.map(checkpoints => checkpoints.map(({ sessionId, rows }) => [sessionId, rows[0]?.seq]))

describe('a checkpoint is written', () => {
  it('at the end of a turn, with a row for each unit and the facts of the header (8.10.1)', async () => {
    const session = await open()
    says(session)
    ends(session)
    await pass(100)
    expect(written()).toEqual([[['s', 1]]])
    expect(writes[0]?.[0]).toMatchObject({ facts: lifecycleFacts(session.header), faults: [] })
    expect(writes[0]?.[0]?.rows.map(({ key }) => key).toSorted()).toEqual(
      UNITS.map(({ key }) => key).toSorted(),
    )
  })

  it('when a session is let go, with all that it said (8.10.2)', async () => {
    const session = await open()
    says(session, 3)
    const letting = live.dispose(session)
    await pass(100)
    await letting
    await pass(100)
    expect(written()).toEqual([[['s', 2]]])
  })

  it('when a session is let go that said nothing: its rows are as of −1 (8.10.5)', async () => {
    const session = await open()
    await Promise.all([live.dispose(session), pass(100)])
    await pass(100)
    expect(written()).toEqual([[['s', -1]]])
  })

  it('after 200 events, not before, and again after 200 more (8.10.3)', async () => {
    const session = await open()
    says(session, 199)
    await pass(200)
    expect(writes).toHaveLength(0)
    says(session)
    await pass(200)
    expect(written()).toEqual([[['s', 199]]])
    says(session, 199)
    await pass(200)
    expect(writes).toHaveLength(1)
    says(session)
    await pass(200)
    expect(writes).toHaveLength(2)
  })

  it('at the first event that comes 5 s after the last checkpoint’s (8.10.4)', async () => {
    const session = await open()
    says(session)
    clock += 4999
    says(session)
    await pass(200)
    expect(writes).toHaveLength(0)
    clock += 1
    says(session)
    await pass(200)
    expect(written()).toEqual([[['s', 2]]])
  })

  it('when a person is asked: that is what the next start looks for', async () => {
    const session = await open()
    session.append({
      type: 'approval/asked',
      data: {
        turn: 1,
        step: 1,
        callId: 'c',
        approvalId: 'q',
        name: 'shell',
        toolClass: 'shell',
        input: {},
        pattern: 'shell: ls',
      },
    })
    await pass(100)
    expect(written()).toEqual([[['s', 0]]])
  })

  it('for all sessions together that are due within 50 ms, each as it stands then', async () => {
    const a = await open('a')
    const b = await open('b')
    ends(a)
    await pass(20)
    ends(b)
    says(a)
    await pass(100)
    expect(written()).toEqual([
      [
        ['a', 1],
        ['b', 0],
      ],
    ])
  })

  it('at once when asked to settle, and nothing then when nothing is due (8.10.6)', async () => {
    const session = await open()
    ends(session)
    const settling = policy.settle()
    await pass(0)
    await settling
    expect(written()).toEqual([[['s', 0]]])
    await policy.settle()
    await pass(1000)
    expect(writes).toHaveLength(1)
    says(session)
    await policy.settle()
    expect(writes).toHaveLength(1)
  })
})

describe('a checkpoint is never ahead of the log', () => {
  it('it is written after everything it covers is durable', async () => {
    const session = await open()
    says(session)
    ends(session)
    await pass(500)
    expect(order).toEqual(['append', 'checkpoint'])
  })

  it('it is not written while saving fails, and is once it works again (8.10.7)', async () => {
    const session = await open()
    append = () => Promise.reject(new Error('the disk is full'))
    ends(session)
    await pass(100)
    expect(writes).toHaveLength(0)
    expect(problems).toMatchObject([{ code: 'NOT_SAVED' }])

    append = async () => 'written'
    await pass(2000)
    ends(session)
    await pass(200)
    expect(written()).toEqual([[['s', 1]]])
  })

  it('what a session said that another writer got ahead of is never checkpointed; its neighbours are', async () => {
    const fenced = await open('fenced')
    const fine = await open('fine')
    let first = true
    append = async () => {
      const result = first ? 'conflict' : 'written'
      first = false
      return result
    }
    ends(fenced)
    ends(fine)
    await pass(1000)
    expect(live.list().map(({ id }) => id)).toEqual(['fine'])
    expect(written().flat()).toEqual([['fine', 0]])
  })
})

describe('a write of checkpoints that fails', () => {
  it('is reported, disturbs nothing, and the next one heals it (8.10.7)', async () => {
    const fault = new Error('no checkpoints today')
    const session = await open()
    write = () => Promise.reject(fault)
    ends(session)
    await pass(100)
    expect(problems).toEqual([fault])

    write = async () => {}
    ends(session)
    await pass(100)
    expect(written()).toEqual([[['s', 0]], [['s', 1]]])
    expect(session.savedSeq).toBe(2)
  })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Outcome } from '#shared/session/outcome.ts'
import { subagentListEntrySchema } from '#shared/subagent/catalog-entry.ts'
import { factsOf } from '#shared/subagent/facts.ts'
import {
  child,
  note,
  oneShot,
  openCatalog,
  PARENT,
  type TestCatalog,
  turn,
} from './fixtures/catalog-fixture.ts'
import { listChildren } from './list-children.ts'

/* What a listing knows of a child beside its identity, from whatever it was read. */

let catalog: TestCatalog
beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

async function only() {
  const [row, ...others] = await listChildren(catalog.deps, PARENT, { with: ['facts'] })
  expect(others).toEqual([])
  expect(row).toEqual(subagentListEntrySchema.parse(row))
  return row
}

describe('facts', () => {
  const done = [oneShot('Counted'), ...turn]
  const answer = {
    id: 'm',
    turn: 1,
    step: 1,
    content: [{ type: 'text', text: 'Done.' }],
    usage: { input: 70, output: 7, costUsd: 0.25 },
    model: { provider: 'p', model: 'fast' },
  }
  const billed = [oneShot('Counted'), turn[0], ['assistant/message', answer], turn[2]] as const

  it('are what a current checkpoint holds, with no log read', async () => {
    const own = billed.filter(item => item !== undefined)
    const header = await catalog.cold('a', own, { preset: 'reviewer' })
    await catalog.checkpoint(header, own)

    expect(await only()).toMatchObject({
      facts: {
        outcome: { kind: 'completed' },
        timing: { settledMs: 2, runningSince: null },
        tokens: 77,
        costUsd: 0.25,
        model: 'fast',
        lastActivity: 2002,
        openApprovals: 0,
        preset: 'reviewer',
      },
    })
    expect(catalog.reads.logs).toEqual([])
  })

  it('are the same from the log', async () => {
    const header = await catalog.cold('a', done)
    const fromLog = await only()
    await catalog.checkpoint(header, done)
    expect(await only()).toEqual(fromLog)
  })

  it('that a checkpoint does not hold are left out', async () => {
    const header = await catalog.cold('a', done)
    await catalog.checkpoint(header, done)
    catalog.edit(`DELETE FROM checkpoint_row WHERE key <> 'subagent'`)

    expect(await only()).toMatchObject({ facts: {} })
  })

  it('say interrupted for an open turn that nobody hosts, on every rung, and running while one does', async () => {
    const open = [oneShot('Cut off'), ['turn/start', { turn: 1 }], note('x')] as const
    const session = await catalog.running('a', open)
    expect(await only()).toMatchObject({ facts: { outcome: { kind: 'running' } } })

    await catalog.live.dispose(session)
    await catalog.policy.settle()
    catalog.reads.logs = []
    expect(await only()).toMatchObject({
      facts: { outcome: { kind: 'interrupted' }, timing: { runningSince: null } },
    })
    expect(catalog.reads.logs).toEqual([])

    catalog.edit('DELETE FROM checkpoint_row', 'DELETE FROM checkpoint')
    expect(await only()).toMatchObject({ facts: { outcome: { kind: 'interrupted' } } })
  })

  it('read from any backend say what looks alive as over', () => {
    const facts = (outcome: Outcome, activity: 'running' | 'inactive') =>
      factsOf(child('a'), { outcome }, activity).outcome
    expect(facts({ kind: 'running' }, 'inactive')).toEqual({ kind: 'interrupted' })
    expect(facts({ kind: 'waiting', on: 'children' }, 'inactive')).toEqual({ kind: 'interrupted' })
    expect(facts({ kind: 'waiting', on: 'approval' }, 'inactive')).toEqual({
      kind: 'waiting',
      on: 'approval',
    })
    expect(facts({ kind: 'running' }, 'running')).toEqual({ kind: 'running' })
  })

  it('keep a question that waits for a person, cold as well', async () => {
    const asked = {
      turn: 1,
      step: 1,
      callId: 'c',
      approvalId: 'q',
      name: 'shell',
      toolClass: 'shell',
      input: {},
      pattern: 'shell: ls',
    }
    const call = { type: 'tool-call', callId: 'c', name: 'shell', input: {} }
    await catalog.cold('a', [
      oneShot('Asks'),
      ['turn/start', { turn: 1 }],
      ['assistant/message', { ...answer, content: [call] }],
      ['approval/asked', asked],
    ])

    expect(await only()).toMatchObject({
      facts: { outcome: { kind: 'waiting', on: 'approval' }, openApprovals: 1 },
    })
  })
})

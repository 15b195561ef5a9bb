import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '#shared/errors.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Outcome } from '#shared/session/outcome.ts'
import { createScriptedModel } from '../model/scripted-model.ts'
import { listDescendants } from '../subagent/catalog/list-descendants.ts'
import { eventsOf } from '../tree-fixture.ts'
import { openTestWorkbench, type TestWorkbench } from '../workbench-fixture.ts'
import type { Look } from './look.ts'
import type { Verdict } from './verdict.ts'

const PATIENCE_MS = 90_000

function isAlive(outcome: Outcome | null | undefined): boolean {
  return outcome?.kind === 'running' || (outcome?.kind === 'waiting' && outcome.on === 'children')
}

/**
 * The start after the last death: nothing looks alive, every session that takes messages answers one, and whoever
 * is told something late is told it now.
 * @returns those that were spoken to: they have heard all there is to hear.
 */
export async function revive(at: string, verdict: Verdict): Promise<ReadonlySet<SessionId>> {
  const bench = await openTestWorkbench({ model: createScriptedModel(() => 'I am here.'), at })
  const { workbench } = bench
  try {
    const children = await proveNothingIsAlive(bench, verdict)
    await atRest(bench)
    const { sessions } = await workbench.overview.list(false)
    const roots = sessions.map(({ header }) => header.id)
    const spokenTo = new Set([...children.toReversed(), ...roots])
    for (const id of spokenTo) await speak(bench, id, verdict)
    return spokenTo
  } finally {
    await workbench.close()
  }
}

/** @returns the continuable children, parents before children. */
async function proveNothingIsAlive({ workbench }: TestWorkbench, verdict: Verdict): Promise<SessionId[]> {
  const continuable: SessionId[] = []
  const { sessions } = await workbench.overview.list(false)
  for (const { header, activity, facts, rollup } of sessions) {
    if (activity !== 'inactive' || rollup.running > 0 || isAlive(facts.outcome))
      verdict.fault('alive', `the row of ${header.id}`)
    for (const row of await listDescendants(workbench.catalog, header.id, { with: ['facts', 'warnings'] })) {
      if (row.kind === 'diagnostic') verdict.fault('identities', `${row.id} is ${row.reason}`)
      else if (row.activity !== 'inactive' || isAlive(row.facts?.outcome))
        verdict.fault('alive', `the row of ${row.id}`)
      if (row.kind === 'child' && row.mode === 'continuable') continuable.push(row.id)
    }
  }
  return continuable
}

async function speak(bench: TestWorkbench, id: SessionId, verdict: Verdict): Promise<void> {
  try {
    const before = (await bench.log(id)).length
    await bench.send(id, 'Are you there?')
    await atRest(bench)
    const since = (await bench.log(id)).slice(before)
    const answers = eventsOf(since, 'turn/end').map(({ data }) => data.reason.kind)
    if (answers.at(-1) !== 'completed') verdict.fault('identities', `${id} answered with ${answers.at(-1)}`)
    verdict.count('resumed')
  } catch (error) {
    verdict.fault('identities', `${id} does not come back: ${messageOf(error)}`)
  }
}

/** Every question is answered, everybody is idle, and children are let go. */
async function atRest({ workbench }: TestWorkbench): Promise<void> {
  const { activations, approvals, live } = workbench
  const isBusy = () =>
    activations.list().some(one => one.agent.isRunning || one.session.header.origin !== undefined)
  const deadline = Date.now() + PATIENCE_MS
  for (let calm = 0; calm < 2; calm = isBusy() ? 0 : calm + 1) {
    if (Date.now() > deadline) throw new Error('the workbench does not come to rest')
    // Deciding resumes the session at that call. What follows may ask again.
    const open = await approvals.open()
    for (const { sessionId, approval } of open)
      await approvals.decide(sessionId, approval.approvalId, { kind: 'allow', scope: 'once' })
    if (open.length > 0) calm = 0
    await sleep(5)
  }
  await live.flush()
}

/** What a continuable child told its model of who it is, it tells after every resume. */
export function proveIdentities(looks: readonly Look[], verdict: Verdict): void {
  for (const { id, inspection } of looks) {
    const { header, events } = inspection
    if (header.origin !== 'subagent') continue
    const own = events.slice(header.seedLength ?? 0)
    const headers = eventsOf(own, 'request/header').map(({ data }) => JSON.stringify(data))
    if (new Set(headers).size > 1) verdict.fault('identities', `${id} came back as another`)
    if (eventsOf(own, 'subagent/descriptor').length !== 1)
      verdict.fault('identities', `${id} has not exactly one descriptor of its own`)
  }
}

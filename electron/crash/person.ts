import { hasCode, messageOf } from '#shared/errors.ts'
import { textContent } from '#shared/session/content.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Random } from '../corpus/random.ts'
import { listDescendants } from '../subagent/catalog/list-descendants.ts'
import type { Workbench } from '../workbench.ts'
import type { KillPlan, KillPoint } from './kill-plan.ts'
import { direction, SCENES, type Scene } from './scenes.ts'
import type { Say } from './testimony.ts'

export interface PersonDeps {
  readonly workbench: Workbench
  readonly folder: string
  readonly plan: KillPlan
  readonly random: Random
  readonly mint: () => string
  readonly say: Say
}

const MOST_ROOTS = 7
const PAUSE_MS = 8
/** What leads to a point, where chance alone would take long to. */
const LEADS_TO: Partial<Record<KillPoint, readonly Scene[]>> = {
  fork: ['inherit', 'talk'],
  create: ['children', 'nested'],
  draft: ['lecture'],
  output: ['flood'],
  'child-end': ['children', 'background'],
  settlement: ['background', 'continuable', 'child'],
  resume: ['tell', 'continuable'],
}
/** What may be said to a person who acts on what was true a moment ago. */
const FAIR = ['APPROVAL_NOT_OPEN', 'LIMIT_EXCEEDED', 'BAD_REQUEST', 'NOT_RESUMABLE', 'CANCELLED'] as const

/** Somebody in a hurry: speaks, answers, forks and stops, whatever comes to mind, until the lights go out. */
export async function actForever(deps: PersonDeps): Promise<never> {
  const { workbench, random, say } = deps
  for (;;) {
    const { sessions } = await workbench.store.persistence.list({ kind: 'roots' })
    const roots = sessions.map(({ header }) => header.id)
    const act = chooseAct(deps, roots)
    const acting = act().catch((error: unknown) => {
      if (FAIR.some(code => hasCode(error, code))) return
      say({ kind: 'fault', what: `${act.name}: ${messageOf(error)}` })
    })
    // Half of what is begun is waited for: the rest overlaps.
    if (random.below(2) === 0) await acting
    await new Promise(resolve => setTimeout(resolve, random.below(PAUSE_MS)))
  }
}

function chooseAct(deps: PersonDeps, roots: readonly SessionId[]): () => Promise<void> {
  const { workbench, random } = deps
  const { actions, messaging, approvals } = workbench
  const begin = async () => {
    const route = { provider: 'rehearsal', model: 'rehearsal' }
    const approvalMode = random.pick(['ask', 'workspace', 'workspace'] as const)
    await speak(deps, await actions.create({ cwd: deps.folder, route, approvalMode }), 'queue')
  }
  if (roots.length === 0) return begin
  const root = random.pick(roots)
  const answer = async () => {
    for (const { sessionId, approval } of await approvals.open()) {
      const decision = random.pick(['allow', 'allow', 'deny'] as const)
      const scope = random.pick(['once', 'once', 'session'] as const)
      await approvals.decide(
        sessionId,
        approval.approvalId,
        decision === 'allow' ? { kind: decision, scope } : { kind: decision },
      )
    }
  }
  const speakToRoot = () => speak(deps, root, 'queue')
  const steerRoot = () => speak(deps, root, 'steer')
  const speakToChild = async () => {
    const rows = await listDescendants(workbench.catalog, root)
    const children = rows.filter(row => row.kind === 'child' && row.mode === 'continuable')
    if (children.length > 0) await speak(deps, random.pick(children).id, 'queue')
  }
  const fork = async () => void (await actions.fork(root))
  const interrupt = () => messaging.interrupt(root)
  const stopTree = async () => void (await messaging.stopTree(root))
  const rename = () => actions.rename(root, `Named ${deps.mint()}`)
  const mayAdd = roots.length < MOST_ROOTS
  const acts = [speakToRoot, speakToRoot, speakToRoot, speakToChild, speakToChild, steerRoot, answer, answer]
  if (random.below(4) === 0) acts.push(interrupt, rename, stopTree, ...(mayAdd ? [begin, fork] : []))
  if (deps.plan.when.kind === 'point' && deps.plan.when.point === 'fork') acts.push(fork)
  return random.pick(acts)
}

async function speak(
  { workbench, plan, random, mint, say }: PersonDeps,
  id: SessionId,
  mode: 'queue' | 'steer',
) {
  const favoured = plan.when.kind === 'point' ? LEADS_TO[plan.when.point] : undefined
  const scene = favoured !== undefined && random.below(2) === 0 ? random.pick(favoured) : random.pick(SCENES)
  const text = textContent(direction(mint(), scene))
  const messageId = await workbench.messaging.send({ kind: 'person' }, id, text, mode)
  say({ kind: 'message', session: id, messageId })
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { textContent } from '#shared/session/content.ts'
import type { NewEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import { type SessionId, toSessionId } from '#shared/session/ids.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { CheckpointStore, SessionPersistence } from '../store/persistence.ts'
import type { Activation } from '../subagent/activation.ts'
import type { Activations } from '../subagent/activations.ts'
import type { ApprovalDesk } from '../subagent/approval-desk.ts'
import type { Messaging } from '../subagent/messaging.ts'
import type { SessionActions } from '../subagent/session-actions.ts'
import { writeSampleFiles } from './sample-files.ts'

/** The ids under which the sample lives: it is played at most once per data folder. */
export const SAMPLE_ROOT: SessionId = toSessionId('sample-garden-wall')
const SAMPLE_READY: SessionId = toSessionId('sample-plant-in-spring')
const SAMPLE_QUEUED: SessionId = toSessionId('sample-label-the-trees')

const REHEARSAL = { provider: 'rehearsal', model: 'rehearsal' } as const
const LOOK_EVERY_MS = 250
const GIVE_UP_AFTER_MS = 180_000

export interface SampleDeps {
  readonly dataFolder: string
  /** Then there is no sample. */
  readonly readOnly: boolean
  readonly live: LiveSessions
  readonly persistence: Pick<SessionPersistence, 'get' | 'list'>
  readonly checkpoints: Pick<CheckpointStore, 'snapshot'>
  readonly activations: Activations
  readonly approvals: ApprovalDesk
  readonly messaging: Messaging
  readonly actions: SessionActions
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

export interface Sample {
  /** `null` until it is played, and once it is in the trash. */
  rootId(): Promise<SessionId | null>
  /** Plays it when this data folder holds nothing yet. Resolves when it was started; it plays on by itself. */
  playAtFirstStart(): Promise<void>
  /** Ends the play-along; what was played stays. */
  stop(): void
}

/**
 * The sample tree: the rehearsal model at work on a made-up garden, with real events. Somebody has to play the
 * person: lets files be written, stops a child that draws for ever and one that has dug enough, and leaves one
 * question open for whoever looks.
 */
export function createSample(deps: SampleDeps): Sample {
  const { persistence, actions, messaging, live, onError } = deps
  const folder = join(deps.dataFolder, 'sample')
  let timer: NodeJS.Timeout | null = null

  const rootId = async () => (await persistence.get(SAMPLE_ROOT))?.header.id ?? null
  const stop = () => {
    if (timer !== null) clearInterval(timer)
    timer = null
  }

  const isFirstStart = async () => {
    if (existsSync(folder)) return false
    // Whoever has sessions has a root, and of those there are fewest.
    const { sessions, unreadable } = await persistence.list({ kind: 'roots' })
    return sessions.length + unreadable.length === 0
  }
  const play = async () => {
    await writeSampleFiles(folder)
    const setup = { cwd: folder, route: REHEARSAL, approvalMode: 'ask' as const }
    await actions.create({ ...setup, id: SAMPLE_READY, title: 'Plant in spring' })
    await actions.create({ ...setup, id: SAMPLE_ROOT, title: 'Plan a garden wall' })
    await queueChild(live, deps.now(), folder)
    await messaging.send(
      { kind: 'person' },
      SAMPLE_ROOT,
      textContent('Plan a garden wall, and hand out the parts.'),
      'queue',
    )
    const until = performance.now() + GIVE_UP_AFTER_MS
    timer = setInterval(() => {
      playPerson(deps).catch(onError)
      if (performance.now() > until) stop()
    }, LOOK_EVERY_MS)
    timer.unref()
  }
  return {
    rootId,
    stop,
    async playAtFirstStart() {
      if (deps.readOnly || !(await isFirstStart())) return
      // Espalier can be used without its sample.
      await play().catch(onError)
    },
  }
}

/** A child whose message was accepted and never read. */
async function queueChild(live: LiveSessions, now: number, cwd: string): Promise<void> {
  const header: SessionHeader = {
    version: 1,
    id: SAMPLE_QUEUED,
    createdAt: now,
    cwd,
    parentSession: SAMPLE_ROOT,
    origin: 'subagent',
    delegationDepth: 1,
  }
  const label = 'Label the trees'
  const { provider: agentProvider, model: agentModel } = REHEARSAL
  const own: NewEvent[] = [
    {
      type: 'subagent/descriptor',
      data: { version: 2, mode: 'continuable', provider: 'spawn', label, agentProvider, agentModel },
    },
    { type: 'approval/policy', data: { mode: 'ask' } },
    { type: 'model/changed', data: { route: REHEARSAL, by: 'parent' } },
    {
      type: 'inbox/queued',
      data: {
        messageId: 'label-the-trees',
        mode: 'queue',
        source: { kind: 'parent', from: SAMPLE_ROOT },
        content: textContent('Label the trees, once they are planted. This is a rehearsal.'),
      },
    },
  ]
  await live.dispose(await live.create(header, own))
}

async function playPerson({ activations, approvals }: SampleDeps): Promise<void> {
  for (const { sessionId, rootId, approval } of await approvals.open()) {
    if (rootId !== SAMPLE_ROOT || (approval.name !== 'write' && approval.name !== 'edit')) continue
    await approvals.decide(sessionId, approval.approvalId, { kind: 'allow', scope: 'once' })
  }
  for (const activation of activations.under(SAMPLE_ROOT)) playOn(activation)
}

function playOn({ agent, record }: Activation): void {
  const label = record.descriptor?.label
  if (label === 'Draw the layout' && agent.liveMessage !== null && !agent.liveMessage.isEmpty)
    agent.interrupt('user')
  if (label === 'Dig the footings' && agent.log.openTurn.step >= 3) agent.interrupt('limit')
}

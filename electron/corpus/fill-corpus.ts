import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { createCheckpointWriter } from '../history/checkpoint-writer.ts'
import type { CheckpointStore, SessionCheckpoint, SessionPersistence } from '../store/persistence.ts'
import { childLog } from './child-log.ts'
import { type CorpusOptions, type PlannedChild, planCorpus } from './plan.ts'
import { createProse } from './prose.ts'
import { createRandom } from './random.ts'
import { rootLog, unrelatedLog } from './root-log.ts'

/** Events that are written at a time: a long log is never handed over whole. */
const STRETCH = 2000
/** Writes under way at a time, so that the store thread is never idle and memory stays small. */
const AHEAD = 64
const CHECKPOINTS_AT_A_TIME = 100
/** Of a child beside the tree: its identity, a message and a turn with one tool call. */
const UNRELATED_CHILD_EVENTS = 16

export interface CorpusTarget {
  readonly persistence: Pick<SessionPersistence, 'create' | 'append'>
  readonly checkpoints: Pick<CheckpointStore, 'write'>
  /** The folder that its sessions name as theirs. */
  readonly cwd: string
}

export interface CorpusReport {
  readonly root: SessionId
  readonly sessions: number
  readonly events: number
}

/**
 * Writes a synthetic tree through the store's own writer, and its checkpoints as a live session would leave them.
 * The same options write the same sessions, so a second time rejects with `SESSION_EXISTS` before anything is
 * written; another seed writes others.
 */
export async function fillCorpus(target: CorpusTarget, options: CorpusOptions): Promise<CorpusReport> {
  const random = createRandom(options.seed)
  const ink = { random, prose: createProse(random) }
  const { root, children, unrelated } = planCorpus(options, target.cwd, ink)
  const writer = new CorpusWriter(target, options.checkpoints)

  const direct = children.filter(({ header }) => header.parentSession === root.id)
  // Alone and first: it says whether this corpus is there already.
  await writer.write(root, rootLog(root.createdAt, `A corpus of ${children.length} children`, direct, ink))
  await writer.settle()
  for (const child of children) await writeChild(child, options.events)
  for (const [index, tree] of unrelated.entries()) {
    const { createdAt } = tree.root
    await writer.write(tree.root, unrelatedLog(createdAt, `Unrelated ${index + 1}`, tree.children, ink))
    for (const child of tree.children) await writeChild(child, UNRELATED_CHILD_EVENTS)
  }
  await writer.finish()
  return { root: root.id, sessions: writer.sessions, events: writer.events }

  function writeChild({ header, mode, label, reason }: PlannedChild, events: number): Promise<void> {
    const parent = header.parentSession ?? root.id
    const plan = { parent, mode, label, reason, startMs: header.createdAt, events }
    return writer.write(header, childLog(plan, ink))
  }
}

class CorpusWriter {
  readonly #target: CorpusTarget
  readonly #writeCheckpoint
  readonly #underWay = new Set<Promise<void>>()
  #checkpoints: SessionCheckpoint[] = []
  #failure: unknown = null
  sessions = 0
  events = 0

  constructor(target: CorpusTarget, withCheckpoints: boolean) {
    this.#target = target
    const collect = async (made: readonly SessionCheckpoint[]) => void this.#checkpoints.push(...made)
    this.#writeCheckpoint = withCheckpoints ? createCheckpointWriter({ write: collect }) : null
  }

  /** Resolves when there is room for the next one. @throws what an earlier write failed with. */
  async write(header: SessionHeader, events: readonly StoredEvent[]): Promise<void> {
    this.sessions += 1
    this.events += events.length
    await this.#start(this.#save(header, events))
    await this.#writeCheckpoint?.(header, events)
    if (this.#checkpoints.length >= CHECKPOINTS_AT_A_TIME) await this.#startCheckpoints()
  }

  async settle(): Promise<void> {
    await Promise.all(this.#underWay)
    if (this.#failure !== null) throw this.#failure
  }

  async finish(): Promise<void> {
    await this.settle()
    await this.#startCheckpoints()
    await this.settle()
  }

  async #save(header: SessionHeader, events: readonly StoredEvent[]): Promise<void> {
    const { persistence } = this.#target
    await persistence.create(header, events.slice(0, STRETCH))
    for (let next = STRETCH; next < events.length; next += STRETCH) {
      const stretch = events.slice(next, next + STRETCH)
      await persistence.append([{ sessionId: header.id, expectedSeq: next, events: stretch }])
    }
  }

  /** Checkpoints go after their sessions: the store skips those of sessions that it does not know. */
  async #startCheckpoints(): Promise<void> {
    const taken = this.#checkpoints
    this.#checkpoints = []
    const before = Promise.all(this.#underWay)
    await this.#start(before.then(() => this.#target.checkpoints.write(taken)))
  }

  async #start(work: Promise<void>): Promise<void> {
    const done = work
      .catch((error: unknown) => {
        this.#failure ??= error
      })
      .finally(() => this.#underWay.delete(done))
    this.#underWay.add(done)
    if (this.#underWay.size >= AHEAD) await Promise.race(this.#underWay)
    if (this.#failure !== null) throw this.#failure
  }
}

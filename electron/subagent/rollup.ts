import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { ProjectionRegistry } from '../projection/registry.ts'
import { liveValue } from '../projection/typed-values.ts'
import { Listeners } from '../session/listeners.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { Session } from '../session/session.ts'
import type { CheckpointStore } from '../store/persistence.ts'
import type { Lineage } from './lineage.ts'

export interface Rollup {
  /** Descendants, at any depth, that run now. */
  readonly running: number
  /** Descendants that wait for a person, cold ones too. */
  readonly waiting: number
}

type State = 'running' | 'waiting' | null

const NONE: Rollup = { running: 0, waiting: 0 }

export interface RollupDeps {
  readonly live: LiveSessions
  readonly registry: ProjectionRegistry
  readonly lineage: Lineage
  readonly checkpoints: Pick<CheckpointStore, 'waiting'>
  readonly onError: (error: unknown) => void
}

/** Counts, for every session, what goes on below it. Follows outcomes; reads no log. */
export class Rollups {
  readonly #deps: RollupDeps
  readonly #states = new Map<SessionId, State>()
  /** Read once per session; in flight too, so that changes of one session are counted in their order. */
  readonly #ancestors = new Map<SessionId, Promise<readonly SessionHeader[]>>()
  readonly #counts = new Map<SessionId, { readonly header: SessionHeader; readonly rollup: Rollup }>()
  readonly #onChanged: Listeners<[SessionHeader, Rollup]>

  constructor(deps: RollupDeps) {
    this.#deps = deps
    this.#onChanged = new Listeners(deps.onError)
    deps.registry.onChanged(({ session, key }) => {
      if (key === 'outcome') this.#follow(session)
    })
    deps.live.onAdded(session => this.#follow(session))
    deps.live.onRemoved(session => {
      // An open question outlives the process that asked it; nothing else does.
      const state = this.#liveState(session) === 'waiting' ? 'waiting' : null
      this.#set(session.id, state).catch(deps.onError)
    })
  }

  /** Sessions in the store that wait for a person: at the start, and when some have come back from the trash. */
  async readWaiting(): Promise<void> {
    for (const id of await this.#deps.checkpoints.waiting()) {
      if (this.#deps.live.get(id) === undefined) await this.#set(id, 'waiting').catch(this.#deps.onError)
    }
  }

  /** It waits for nobody any more: it is in the trash. */
  async forget(id: SessionId): Promise<void> {
    await this.#set(id, null)
  }

  of(id: SessionId): Rollup {
    return this.#counts.get(id)?.rollup ?? NONE
  }

  /** Sessions that wait for a person. */
  waiting(): SessionId[] {
    return [...this.#states].filter(([, state]) => state === 'waiting').map(([id]) => id)
  }

  /** Sessions below which something runs or waits. */
  list(): { readonly header: SessionHeader; readonly rollup: Rollup }[] {
    return [...this.#counts.values()]
  }

  onChanged(listener: (header: SessionHeader, rollup: Rollup) => void): () => void {
    return this.#onChanged.add(listener)
  }

  #follow(session: Session): void {
    const state = this.#liveState(session)
    if (state !== (this.#states.get(session.id) ?? null))
      this.#set(session.id, state).catch(this.#deps.onError)
  }

  #liveState({ id }: Session): State {
    const outcome = liveValue(this.#deps.registry, id, 'outcome')
    if (outcome?.kind === 'waiting') return outcome.on === 'approval' ? 'waiting' : 'running'
    return outcome?.kind === 'running' || outcome?.kind === 'queued' ? 'running' : null
  }

  /** The state is taken at once; the way up may have to be read first, once per session. */
  async #set(id: SessionId, state: State): Promise<void> {
    const before = this.#states.get(id) ?? null
    if (state === before) return
    if (state === null) this.#states.delete(id)
    else this.#states.set(id, state)
    for (const ancestor of await this.#ancestorsOf(id)) {
      this.#count(ancestor, before, -1)
      this.#count(ancestor, state, 1)
      this.#onChanged.tell(ancestor, this.of(ancestor.id))
    }
  }

  #ancestorsOf(id: SessionId): Promise<readonly SessionHeader[]> {
    const known = this.#ancestors.get(id)
    if (known !== undefined) return known
    const reading = this.#deps.lineage.upwards(id).then(chain => chain.slice(1))
    this.#ancestors.set(id, reading)
    return reading
  }

  #count(header: SessionHeader, state: State, by: number): void {
    if (state === null) return
    const counts = this.of(header.id)
    const rollup = { ...counts, [state]: counts[state] + by }
    if (rollup.running === 0 && rollup.waiting === 0) this.#counts.delete(header.id)
    else this.#counts.set(header.id, { header, rollup })
  }
}

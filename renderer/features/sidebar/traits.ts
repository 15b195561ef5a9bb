import type { SessionId } from '#shared/session/ids.ts'
import { secondLine } from '../../store/row-words.ts'
import { type AnyView, type SessionView, viewOf } from '../../store/session-view.ts'
import type { State } from '../../store/state.ts'

/** What of a session decides which rows there are and where. Hardly a frame changes any of it. */
export interface Traits {
  readonly kind: 'session' | 'diagnostic'
  /** The group of a root (`Group.key`), `null` of a child. */
  readonly group: string | null
  /** It, or something below it, waits for the person: never folded away with its group. */
  readonly waits: boolean
  readonly hasChildren: boolean
  readonly two: boolean
}

export interface TraitsTable {
  /** `null` of a session that nothing is known of. */
  of(state: State, id: SessionId): Traits | null
  /** Looks again at those of `changed` that were asked for. @returns what is other than before. */
  update(state: State, changed: Iterable<SessionId>): TraitChanges
}

interface TraitChanges {
  /** Rows may have come, gone or changed places. */
  readonly layout: boolean
  /** Every session of which something is other than before. */
  readonly ids: readonly SessionId[]
}

/** Remembers the traits of every session that has a row, so that those that did not change cost a look-up. */
export function createTraitsTable(): TraitsTable {
  const held = new Map<SessionId, Traits | null>()
  return {
    of: (state, id) => {
      const known = held.get(id)
      if (known !== undefined) return known
      const traits = traitsOf(viewOf(state, id))
      held.set(id, traits)
      return traits
    },
    update: (state, changed) => {
      const ids: SessionId[] = []
      let layout = false
      for (const id of changed) {
        const before = held.get(id)
        if (before === undefined) continue
        const after = traitsOf(viewOf(state, id))
        held.set(id, after)
        if (isSame(before, after)) continue
        ids.push(id)
        layout ||= !isSamePlace(before, after)
      }
      return { layout, ids }
    },
  }
}

export function traitsOf(view: AnyView | null): Traits | null {
  if (view === null) return null
  const two = secondLine(view, 0) !== null
  if (view.kind === 'diagnostic')
    return { kind: view.kind, group: null, waits: false, hasChildren: false, two }
  const waits = view.status.state === 'waiting' || view.rollup.waiting > 0
  return { kind: view.kind, group: groupOf(view), waits, hasChildren: view.hasChildren, two }
}

function groupOf(view: SessionView): string | null {
  if (view.mode !== 'session') return null
  if (view.archived) return 'archived'
  if (view.status.state === 'waiting') return 'needs'
  return isWorking(view) ? 'working' : `folder:${view.cwd ?? ''}`
}

function isWorking({ status, rollup }: SessionView): boolean {
  return status.state === 'running' || status.state === 'queued' || rollup.running > 0 || rollup.waiting > 0
}

function isSame(one: Traits | null, other: Traits | null): boolean {
  return isSamePlace(one, other) && one?.two === other?.two && one?.hasChildren === other?.hasChildren
}

function isSamePlace(one: Traits | null, other: Traits | null): boolean {
  return one?.kind === other?.kind && one?.group === other?.group && one?.waits === other?.waits
}

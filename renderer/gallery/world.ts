import type { UnreadableSession } from '#shared/contract/session-shapes.ts'
import type { Doing } from '#shared/projection/units/doing.ts'
import type { NewEvent, StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { Outcome } from '#shared/session/outcome.ts'
import type { ChildWarning, DiagnosticDetail } from '#shared/subagent/catalog-entry.ts'
import { fixtureId } from './fixture-ids.ts'

/** One session of the gallery's world: plain data from which every answer of the fake host is made. */
export interface Actor {
  readonly id: SessionId
  readonly header: SessionHeader
  label: string | null
  readonly mode: 'session' | 'one-shot' | 'continuable'
  outcome: Outcome | null
  running: boolean
  readonly settledMs: number
  readonly runningSince: number | null
  readonly tokens: number
  readonly costUsd: number | null
  readonly lastActivity: number
  doing: Doing | null
  archived: boolean
  readonly warnings: readonly ChildWarning[]
  readonly damage: { readonly reason: 'corrupt' | 'unavailable'; readonly detail: DiagnosticDetail } | null
  events: StoredEvent[]
  readonly parent: SessionId | null
  readonly children: SessionId[]
  readonly files: readonly string[]
}

export interface ActorSpec {
  readonly label: string | null
  readonly mode?: Actor['mode']
  readonly id?: string
  readonly outcome?: Outcome | null
  readonly running?: boolean
  /** Seconds in turns; while running, since when. */
  readonly seconds?: number
  readonly tokens?: number
  readonly costUsd?: number | null
  /** Seconds since anything happened. */
  readonly agoSeconds?: number
  readonly doing?: readonly [kind: 'tool' | 'asking', verb: string, target: string] | 'thinking'
  readonly archived?: boolean
  readonly warnings?: readonly ChildWarning[]
  readonly damage?: Actor['damage']
  readonly cwd?: string
  readonly events?: readonly NewEvent[]
  readonly files?: readonly string[]
  readonly preset?: string
  readonly children?: readonly ActorSpec[]
}

/** Every session by id, roots in the order given. */
export interface World {
  readonly now: number
  readonly actors: Map<SessionId, Actor>
  readonly roots: SessionId[]
  readonly unreadable: UnreadableSession[]
}

export function createWorld(now: number, specs: readonly ActorSpec[]): World {
  const world: World = { now, actors: new Map(), roots: [], unreadable: [] }
  for (const spec of specs) world.roots.push(addActor(world, spec, null))
  return world
}

export function addActor(world: World, spec: ActorSpec, parent: Actor | null): SessionId {
  const id = (spec.id ?? fixtureId(`${parent?.id ?? ''}/${spec.label ?? world.actors.size}`)) as SessionId
  const { now } = world
  const seconds = spec.seconds ?? 0
  const createdAt = now - ((spec.agoSeconds ?? 0) + seconds + 60) * 1000 + world.actors.size
  const cwd = spec.cwd ?? parent?.header.cwd
  const actor: Actor = {
    id,
    header: {
      version: 1,
      id,
      createdAt,
      ...(cwd !== undefined && { cwd }),
      ...(spec.preset !== undefined && { preset: spec.preset }),
      ...(parent !== null && {
        origin: 'subagent' as const,
        parentSession: parent.id,
        delegationDepth: (parent.header.delegationDepth ?? 0) + 1,
      }),
    },
    label: spec.label,
    mode: spec.mode ?? (parent === null ? 'session' : 'one-shot'),
    outcome: spec.outcome ?? null,
    running: spec.running ?? false,
    settledMs: spec.running === true ? 0 : seconds * 1000,
    runningSince: spec.running === true ? now - seconds * 1000 : null,
    tokens: spec.tokens ?? 0,
    costUsd: spec.costUsd ?? null,
    lastActivity: now - (spec.agoSeconds ?? 0) * 1000,
    doing: doingOf(spec.doing, now),
    archived: spec.archived ?? false,
    warnings: spec.warnings ?? [],
    damage: spec.damage ?? null,
    events: [],
    parent: parent?.id ?? null,
    children: [],
    files: spec.files ?? [],
  }
  world.actors.set(id, actor)
  parent?.children.push(id)
  for (const child of spec.children ?? []) addActor(world, child, actor)
  actor.events = (spec.events ?? []).map((event, seq) => ({ ...event, seq, time: createdAt + seq * 4000 }))
  return id
}

export function actorOf(world: World, id: SessionId): Actor {
  const actor = world.actors.get(id)
  if (actor === undefined) throw new Error(`no session ${id} in the gallery`)
  return actor
}

/** From the root down to the session, itself included. */
export function lineageIds(world: World, actor: Actor): SessionId[] {
  const path = [actor.id]
  for (let at = actor.parent; at !== null; at = actorOf(world, at).parent) path.unshift(at)
  return path
}

export function descendantsOf(world: World, id: SessionId): Actor[] {
  const found: Actor[] = []
  const pending = [...actorOf(world, id).children].reverse()
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const actor = actorOf(world, next)
    found.push(actor)
    pending.push(...[...actor.children].reverse())
  }
  return found
}

function doingOf(doing: ActorSpec['doing'], now: number): Doing | null {
  if (doing === undefined) return null
  if (doing === 'thinking') return { kind: 'thinking', since: now }
  const [kind, verb, target] = doing
  return { kind, verb, target, since: now }
}

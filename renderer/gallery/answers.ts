import type {
  Access,
  HistoryPage,
  RecordReport,
  SessionDetail,
  SessionSummary,
} from '#shared/contract/session-shapes.ts'
import type { HostInfo, PendingApproval } from '#shared/contract.ts'
import { openApprovalSchema } from '#shared/projection/units/approvals.ts'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import { wireEvents } from '#shared/session/wire-events.ts'
import type { SessionFacts, SubagentListEntry } from '#shared/subagent/catalog-entry.ts'
import { type Actor, actorOf, descendantsOf, type World } from './world.ts'

export function factsOf(actor: Actor): SessionFacts {
  return {
    outcome: actor.outcome,
    timing: { settledMs: actor.settledMs, runningSince: actor.runningSince },
    tokens: actor.tokens,
    costUsd: actor.costUsd,
    model: 'qwen3-coder',
    lastActivity: actor.lastActivity,
    openApprovals: actor.outcome?.kind === 'waiting' && actor.outcome.on === 'approval' ? 1 : 0,
    ...(actor.header.preset !== undefined && { preset: actor.header.preset }),
  }
}

export function rollupOf(world: World, id: SessionId): { running: number; waiting: number } {
  const below = descendantsOf(world, id)
  const waiting = below.filter(
    ({ outcome }) => outcome?.kind === 'waiting' && outcome.on === 'approval',
  ).length
  return { running: below.filter(({ running }) => running).length - waiting, waiting }
}

export function summaryOf(world: World, id: SessionId): SessionSummary {
  const actor = actorOf(world, id)
  return {
    header: actor.header,
    title: actor.label,
    activity: actor.running ? 'running' : 'inactive',
    hasChildren: actor.children.length > 0,
    archived: actor.archived,
    facts: factsOf(actor),
    rollup: rollupOf(world, id),
  }
}

export function entryOf(world: World, id: SessionId): SubagentListEntry {
  const actor = actorOf(world, id)
  if (actor.damage !== null) {
    return { kind: 'diagnostic', id, ...actor.damage, ...(actor.label !== null && { label: actor.label }) }
  }
  const shared = {
    kind: 'child' as const,
    id,
    activity: actor.running ? ('running' as const) : ('inactive' as const),
    hasChildren: actor.children.length > 0,
    facts: factsOf(actor),
    warnings: [...actor.warnings],
  }
  if (actor.mode === 'continuable') return { ...shared, mode: 'continuable', label: actor.label ?? 'Unnamed' }
  return { ...shared, mode: 'one-shot', ...(actor.label !== null && { label: actor.label }) }
}

export function detailOf(world: World, id: SessionId): SessionDetail {
  const actor = actorOf(world, id)
  const below = descendantsOf(world, id)
  return {
    header: actor.header,
    label: actor.label ?? shortId(id),
    mode: actor.damage === null ? actor.mode : null,
    activity: actor.running ? 'running' : 'inactive',
    archived: actor.archived,
    access: accessOf(actor),
    lineage: lineage(world, actor).map(step => ({
      id: step.id,
      label: step.label ?? shortId(step.id),
      ...(step.parent !== null && { origin: 'subagent' as const }),
    })),
    hasChildren: actor.children.length > 0,
    descendants: { total: below.length, ...rollupOf(world, id) },
    facts: factsOf(actor),
  }
}

export function lineage(world: World, actor: Actor): Actor[] {
  const path = [actor]
  for (let at = actor.parent; at !== null; at = actorOf(world, at).parent) path.unshift(actorOf(world, at))
  return path
}

function accessOf(actor: Actor): Access {
  if (actor.damage !== null)
    return { kind: 'read-only', reason: 'This record is damaged and cannot be resumed.', canFork: true }
  if (actor.mode === 'session' || actor.running) return { kind: 'open' }
  if (actor.mode === 'one-shot') {
    return {
      kind: 'read-only',
      reason: 'This child was one-shot: it answered once and ended, so it takes no more messages.',
      canFork: true,
    }
  }
  return {
    kind: 'resumable',
    restores: {
      route: { provider: 'ollama', model: 'qwen3-coder', effort: 'high' },
      tools: ['read', 'edit', 'grep', 'shell', 'delegate'],
      persona: 'Docs writer',
      cwd: actor.header.cwd ?? null,
      approvalMode: 'ask',
    },
    problem: actor.warnings.includes('folder-missing')
      ? 'Its folder is gone: put it back to resume this child.'
      : null,
  }
}

export function pageOf(world: World, id: SessionId, before: number | undefined, limit: number): HistoryPage {
  const actor = actorOf(world, id)
  const end = before ?? actor.events.length
  const from = Math.max(0, end - limit)
  return {
    events: wireEvents(actor.events.slice(from, end)),
    nextBefore: from === 0 ? null : from,
    endSeq: actor.events.length,
    seedLength: actor.header.seedLength ?? 0,
    live: actor.running,
    snapshot:
      before === undefined ? { asOfSeq: actor.events.length - 1, values: valuesOf(actor), faults: [] } : null,
    damage: actor.damage?.detail.cause === 'log-gap' ? [{ kind: 'log-gap', fromSeq: 1, toSeq: 3 }] : [],
  }
}

/** The projections of a session, as the registry would publish them. */
export function valuesOf(actor: Actor) {
  const todos = actor.events.findLast(event => event.type === 'todo/write')?.data as
    | { items?: never[] }
    | undefined
  const totals = {
    input: Math.round(actor.tokens * 0.9),
    output: actor.tokens - Math.round(actor.tokens * 0.9),
    cacheRead: 0,
    cacheWrite: 0,
    reasoning: 0,
    costUsd: actor.costUsd,
    requests: 4,
    unreported: 0,
  }
  return {
    outcome: actor.outcome,
    doing: actor.doing,
    subagentTiming: { settledMs: actor.settledMs, runningSince: actor.runningSince, through: null },
    usage: {
      own: totals,
      inherited: { ...totals, input: 0, output: 0 },
      context: 118_000,
      model: 'qwen3-coder',
    },
    todos: todos?.items ?? [],
    files: [...actor.files],
    approvals: approvalsOf(actor),
    ...(actor.parent === null && { title: actor.label }),
  }
}

function approvalsOf(actor: Actor) {
  return actor.events.flatMap(event => {
    if (event.type !== 'approval/asked' || actor.outcome?.kind !== 'waiting') return []
    const parsed = openApprovalSchema.safeParse({
      ...(event.data as object),
      since: actor.lastActivity - 133_000,
      seq: event.seq,
    })
    return parsed.success ? [parsed.data] : []
  })
}

export function pendingOf(world: World): PendingApproval[] {
  return [...world.actors.values()].flatMap(actor => {
    const path = lineage(world, actor)
    return approvalsOf(actor).map(approval => ({
      sessionId: actor.id,
      rootId: path[0]?.id ?? actor.id,
      label: actor.label ?? shortId(actor.id),
      path: path.slice(0, -1).map(step => step.label ?? shortId(step.id)),
      cwd: actor.header.cwd ?? null,
      approval,
    }))
  })
}

export function reportOf(world: World, id: SessionId): RecordReport {
  const actor = actorOf(world, id)
  const parent = actor.parent === null ? null : actorOf(world, actor.parent)
  return {
    id,
    header: actor.header,
    parentLabel: parent?.label ?? null,
    readable: 40,
    stated: 58,
    damage: [
      { kind: 'log-gap', fromSeq: 41, toSeq: 43 },
      { kind: 'damaged-tail', fromSeq: 44, lost: 14 },
    ],
    faults: actor.damage?.detail.cause === 'unit-fault' ? [{ key: 'usage', message: 'not a number' }] : [],
    lastReadable: actor.events.at(-1) ?? null,
    raw: actor.events.map(event => ({ seq: event.seq, type: event.type, text: JSON.stringify(event.data) })),
  }
}

export function hostOf(world: World, firstRun: boolean): HostInfo {
  const running = [...world.actors.values()].filter(
    ({ running: isRunning, parent }) => isRunning && parent !== null,
  )
  return {
    version: '0.1.0',
    shell: 'desktop',
    platform: 'linux',
    dataFolder: '/home/ada/.local/share/espalier',
    homeFolder: '/home/ada',
    workspace: null,
    running: running.length,
    runningLimit: 8,
    firstRun,
    sampleRootId: firstRun ? (world.roots[0] ?? null) : null,
  }
}

import type { ExportRequest } from '#shared/contract/export-shapes.ts'
import type { SessionDetail } from '#shared/contract/session-shapes.ts'
import { hasCode, WorkbenchError } from '#shared/errors.ts'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import { rowState, STATUS_WORDS } from '#shared/session/status.ts'
import type { SubagentDescendantEntry } from '#shared/subagent/catalog-entry.ts'
import { diagnosticReason, diagnosticWord } from '#shared/subagent/diagnostic-words.ts'
import type { SessionPersistence } from '../store/persistence.ts'
import { version } from '../version.ts'
import type { Section } from './export-shapes.ts'
import type { ExportPlan } from './exports.ts'

export interface PlanDeps {
  readonly persistence: Pick<SessionPersistence, 'list' | 'get'>
  readonly describe: (id: SessionId, signal?: AbortSignal) => Promise<SessionDetail>
  readonly descendants: (id: SessionId, signal?: AbortSignal) => Promise<readonly SubagentDescendantEntry[]>
  readonly now: () => number
}

/** The sessions of an export, in the order of the tree, and how much there is to write. */
export async function planExport(
  deps: PlanDeps,
  { sessionId, tree, raw }: ExportRequest,
  signal?: AbortSignal,
): Promise<ExportPlan> {
  const root = await rootSection(deps, sessionId, signal)
  const children = tree ? await deps.descendants(sessionId, signal) : []
  const sections = [root, ...children.map((entry, index) => sectionOf(entry, index + 2))]
  const head = { sections, isTree: tree, isRedacted: !raw, exportedAt: deps.now(), version }
  return { head, events: await countEvents(deps, sessionId, sections, signal) }
}

async function rootSection(deps: PlanDeps, id: SessionId, signal?: AbortSignal): Promise<Section> {
  const place = { id, number: 1, parentId: null, depth: 0 }
  try {
    const { label, mode, facts, activity } = await deps.describe(id, signal)
    return { ...place, label, mode, state: STATUS_WORDS[rowState(facts.outcome, activity)] }
  } catch (error) {
    if (hasCode(error, 'SESSION_DAMAGED') || hasCode(error, 'SESSION_VERSION')) {
      return { ...place, label: shortId(id), mode: null, state: 'Record damaged' }
    }
    throw error
  }
}

function sectionOf(entry: SubagentDescendantEntry, number: number): Section {
  const { id, parentId, depth } = entry
  const place = { id, number, parentId, depth }
  if (entry.kind === 'diagnostic') {
    const label = entry.label ?? entry.title ?? shortId(id)
    return { ...place, label, mode: null, state: `${diagnosticWord(entry)}: ${diagnosticReason(entry)}` }
  }
  const { label = shortId(id), mode, facts, activity } = entry
  return { ...place, label, mode, state: STATUS_WORDS[rowState(facts?.outcome, activity)] }
}

async function countEvents(
  { persistence }: PlanDeps,
  root: SessionId,
  sections: readonly Section[],
  signal?: AbortSignal,
): Promise<number> {
  const wanted = new Set(sections.map(({ id }) => id))
  const below = wanted.size > 1 ? (await persistence.list({ kind: 'tree', root }, signal)).sessions : []
  const own = await persistence.get(root, signal).catch((error: unknown) => {
    // Its header cannot be read: its rows are counted as they are written.
    if (error instanceof WorkbenchError) return null
    throw error
  })
  return [...below.filter(({ header }) => wanted.has(header.id)), ...(own === null ? [] : [own])].reduce(
    (sum, { endSeq }) => sum + endSeq,
    0,
  )
}

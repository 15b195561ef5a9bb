import { stat } from 'node:fs/promises'
import { messageOf } from '#shared/errors.ts'
import type { HistoryItem, HistoryReader } from '../reader.ts'
import type { AgentFile, ClaudeSession } from './claude-session.ts'
import type { Skipped } from './folders.ts'
import { findTranscripts } from './layout.ts'
import { type LoadedFile, loadFile } from './load.ts'
import { scanHints, sessionOfFile } from './prescan.ts'
import type { AgentPath, ProjectPaths, SessionPaths } from './project-paths.ts'
import { CLAUDE_TOOL, hasConversation, readClaudeHistory } from './read-history.ts'
import { looksLikeClaude } from './recognise.ts'
import { readMeta, readWorkflowLabels } from './sidecars.ts'

export const claudeReader: HistoryReader = {
  tool: CLAUDE_TOOL,
  recognises: looksLikeClaude,
  read: readClaude,
}

async function* readClaude(path: string, signal?: AbortSignal): AsyncGenerator<HistoryItem> {
  const layout = await findTranscripts(path)
  for (const entry of layout.skipped) yield { kind: 'skipped', ...entry }
  for (const project of layout.projects) {
    const { hints, skipped } = await hintsOf(project, signal)
    for (const entry of skipped) yield { kind: 'skipped', ...entry }
    for (const session of withFlatAgents(project, hints, layout.only)) {
      signal?.throwIfAborted()
      yield* readSession(session, hints, signal)
    }
  }
}

interface ProjectHints {
  /** Session of each flat agent file. */
  readonly owners: ReadonlyMap<string, string>
  /** File stem by the id that the file's lines name, for files that were renamed. */
  readonly stems: ReadonlyMap<string, string>
  readonly summaries: ReadonlyMap<string, string>
}

async function hintsOf(
  project: ProjectPaths,
  signal?: AbortSignal,
): Promise<{ hints: ProjectHints; skipped: Skipped[] }> {
  const owners = new Map<string, string>()
  const stems = new Map<string, string>()
  const summaries = new Map<string, string>()
  const skipped: Skipped[] = []
  for (const { main, sessionId } of project.sessions) {
    if (main === null) continue
    try {
      const found = await scanHints(main, signal)
      if (found.sessionId !== null && !stems.has(found.sessionId)) stems.set(found.sessionId, sessionId)
      for (const [leaf, summary] of found.summaries) summaries.set(leaf, summary)
    } catch {
      signal?.throwIfAborted()
      // An unreadable file is reported when its own turn comes.
    }
  }
  for (const { path } of project.flatAgents) {
    try {
      const owner = await sessionOfFile(path, signal)
      if (owner === null) skipped.push({ path, reason: 'an agent that names no session' })
      else owners.set(path, owner)
    } catch (error) {
      signal?.throwIfAborted()
      skipped.push({ path, reason: `could not be read: ${messageOf(error)}` })
    }
  }
  return { hints: { owners, stems, summaries }, skipped }
}

/** Hands each agent file to the session its lines name. Those of absent sessions make sessions of their own. */
function withFlatAgents(project: ProjectPaths, hints: ProjectHints, only: string | null): SessionPaths[] {
  const sessions = new Map(project.sessions.map(session => [session.sessionId, session]))
  for (const agent of project.flatAgents) {
    const named = hints.owners.get(agent.path)
    if (named === undefined) continue
    const sessionId = sessions.has(named) ? named : (hints.stems.get(named) ?? named)
    if (only !== null && sessionId !== only) continue
    const session = sessions.get(sessionId) ?? { sessionId, main: null, agents: [], workflows: [] }
    if (session.agents.some(({ agentId }) => agentId === agent.agentId)) continue
    sessions.set(sessionId, { ...session, agents: [...session.agents, agent] })
  }
  return [...sessions.values()]
}

async function* readSession(
  paths: SessionPaths,
  hints: ProjectHints,
  signal?: AbortSignal,
): AsyncGenerator<HistoryItem> {
  const read = paths.main === null ? null : await tryLoad(paths.main, signal)
  if (typeof read === 'string') yield { kind: 'skipped', path: paths.main ?? '', reason: read }
  const file = typeof read === 'string' ? null : read
  const main = file !== null && hasConversation(file.lines) ? file : null
  const agents: AgentFile[] = []
  for (const agent of paths.agents) {
    const loaded = await loadAgent(agent, signal)
    if (typeof loaded === 'string') yield { kind: 'skipped', path: agent.path, reason: loaded }
    else if (paths.main === null && isWarmUp(loaded)) {
      yield { kind: 'skipped', path: agent.path, reason: 'a warm-up agent whose session is gone' }
    } else agents.push(loaded)
  }
  if (main === null && file !== null && agents.length === 0) {
    const warning = file.warnings[0]
    const reason = `no conversation in it${warning === undefined ? '' : `: ${warning}`}`
    yield { kind: 'skipped', path: paths.main ?? '', reason }
  }
  if (main === null && agents.length === 0) return
  const workflowLabels = new Map<string, string>()
  for (const path of paths.workflows) {
    for (const [agentId, label] of await readWorkflowLabels(path, signal)) workflowLabels.set(agentId, label)
  }
  const path = paths.main ?? agents[0]?.path ?? ''
  const { sessionId } = paths
  const { summaries } = hints
  const fileTime = await modifiedAt(path)
  yield treeOf({ sessionId, path, main, agents, summaries, workflowLabels, fileTime })
}

/** Reading promises not to throw; a file that finds a way around that must still cost no more than itself. */
function treeOf(session: ClaudeSession): HistoryItem {
  try {
    return { kind: 'tree', sessions: readClaudeHistory(session) }
  } catch (error) {
    return { kind: 'skipped', path: session.path, reason: `could not be made sense of: ${messageOf(error)}` }
  }
}

/** The file, or the sentence that says why not. */
async function tryLoad(path: string, signal?: AbortSignal): Promise<LoadedFile | string> {
  try {
    return await loadFile(path, signal)
  } catch (error) {
    signal?.throwIfAborted()
    return `could not be read: ${messageOf(error)}`
  }
}

async function loadAgent(agent: AgentPath, signal?: AbortSignal): Promise<AgentFile | string> {
  const file = await tryLoad(agent.path, signal)
  if (typeof file === 'string') return file
  if (!hasConversation(file.lines)) return 'no conversation in it'
  return { ...file, ...agent, meta: await readMeta(agent.path, signal) }
}

/** About 2.0 the tool started an agent or two ahead of need: one greeting, no work. */
function isWarmUp({ lines }: AgentFile): boolean {
  const answers = lines.filter(({ type }) => type === 'assistant')
  const text = JSON.stringify(answers.map(({ message }) => message))
  return lines.length <= 2 && answers.length <= 1 && !text.includes('"tool_use"')
}

async function modifiedAt(path: string): Promise<number> {
  try {
    return Math.max(0, Math.floor((await stat(path)).mtimeMs))
  } catch {
    // Gone since it was read: no time is better than no session.
    return 0
  }
}

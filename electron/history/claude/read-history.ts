import { IMPORTED_PRESET, type SessionHeader } from '#shared/session/header.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { idPart, isUuid, shortHash } from '../imported-ids.ts'
import { type JsonRecord, textField } from '../json-fields.ts'
import type { ImportedSession } from '../reader.ts'
import { arrange } from './branches.ts'
import { type Links, linkThreads } from './delegations.ts'
import { EventLog } from './event-log.ts'
import { firstText, firstTime, isMessage, type Line, wordsOf } from './line.ts'
import type { LoadedFile } from './load.ts'
import { splitSidechains } from './sidechains.ts'
import { firstPrompt, type Thread } from './thread.ts'
import { oneLine, titleOf } from './title.ts'
import { writeTranscript } from './transcript.ts'

export const CLAUDE_TOOL = 'claude-code'
const MAX_LABEL = 200

export interface AgentFile extends LoadedFile {
  readonly agentId: string
  readonly path: string
  readonly meta: JsonRecord | null
  readonly workflow: string | null
}

/** Everything the tool wrote about one session. */
export interface ClaudeSession {
  /** The stem of the main file's name, or the id that orphaned agents name. */
  readonly sessionId: string
  readonly path: string
  /** `null`: the main file is absent or holds no conversation. */
  readonly main: LoadedFile | null
  readonly agents: readonly AgentFile[]
  /** Summary by the uuid of the line it was made for, from all files of the project. */
  readonly summaries: ReadonlyMap<string, string>
  /** Label by agent id, from the records of workflow runs. */
  readonly workflowLabels: ReadonlyMap<string, string>
  /** Epoch milliseconds: stands in where no line has a time. */
  readonly fileTime: number
}

export function hasConversation(lines: readonly Line[]): boolean {
  return lines.some(isMessage)
}

/** Pure. The root, then its agents, each after its parent. Never throws, whatever the lines say. */
export function readClaudeHistory(session: ClaudeSession): ImportedSession[] {
  const rootId = rootIdOf(session)
  const split = splitSidechains(session.main?.lines ?? [])
  const main: Thread = {
    id: rootId,
    kind: 'main',
    sourceId: session.sessionId,
    path: session.path,
    lines: arrange(split.main).map(placed =>
      split.loose.has(placed.line) ? { ...placed, shown: false } : placed,
    ),
    meta: null,
    workflow: null,
    warnings: session.main?.warnings ?? [],
  }
  const inline = split.chains.map(chain => inlineThread(chain, split.chains, session.path, rootId))
  const known = new Map(split.main.flatMap(line => (line.uuid === null ? [] : [[line.uuid, line] as const])))
  const agents = session.agents.map(agent => agentThread(agent, rootId, known))
  const children = distinct([...inline, ...agents])
  const links = linkThreads(main, children)
  return inOrder(main, children, links).map(({ thread, depth }) =>
    toSession(thread, depth, session, links, children),
  )
}

function toSession(
  thread: Thread,
  depth: number,
  session: ClaudeSession,
  links: Links,
  children: readonly Thread[],
): ImportedSession {
  const lines = thread.lines.map(({ line }) => line)
  const lineage = links.lineage.get(thread) ?? null
  const cwd = firstText(lines, 'cwd')
  const startTime = firstTime(lines) ?? firstTimeOf(children) ?? session.fileTime
  const parentId = lineage?.parent.id ?? null
  const header: SessionHeader = {
    version: 1,
    id: thread.id,
    createdAt: startTime,
    ...(cwd !== null && { cwd }),
    ...(parentId !== null && { parentSession: parentId, origin: 'subagent', delegationDepth: depth }),
    preset: IMPORTED_PRESET,
  }
  const log = new EventLog(startTime)
  const toolVersion = firstText(lines, 'version')
  const source = {
    tool: CLAUDE_TOOL,
    path: thread.path.toWellFormed(),
    sourceId: thread.sourceId.toWellFormed(),
  }
  log.add({ type: 'import/source', data: { ...source, ...(toolVersion !== null && { toolVersion }) } }, null)
  if (lineage !== null) {
    const label = labelOf(thread, lineage.call?.description ?? null, session.workflowLabels)
    const descriptor = { version: 2, mode: 'one-shot', provider: 'import', ...(label !== null && { label }) }
    log.add({ type: 'subagent/descriptor', data: descriptor }, null)
  } else {
    const title = titleOf(thread, session.summaries) ?? emptyTitle(session)
    log.add({ type: 'session/title', data: { title, source: 'import' } }, null)
  }
  writeTranscript(log, thread, {
    cwd,
    parentId,
    task: lineage === null || firstPrompt(thread) !== null ? null : lineage.call?.prompt || null,
    finished: lineage?.call?.result === 'ok',
    childOf: callId => links.childOf(thread, callId),
    sessionOf: agentId =>
      children.find(child => child.kind === 'agent' && child.sourceId === agentId)?.id ?? null,
  })
  return { header, events: log.events, warnings: thread.warnings, path: thread.path }
}

function rootIdOf({ sessionId, main }: ClaudeSession): SessionId {
  // Not the id of the session itself: its transcript may turn up later, and must find its place free.
  if (main === null) return toSessionId(`claude-${idPart(sessionId, 50)}.orphans`)
  if (isUuid(sessionId)) return toSessionId(`claude-${sessionId.toLowerCase()}`)
  // A name chosen by hand may come again in another project: the first line tells them apart.
  const first = main.lines.find(line => line.uuid !== null || line.time !== null)
  const mark = shortHash(JSON.stringify([sessionId, first?.uuid ?? null, first?.time ?? null]))
  return toSessionId(`claude-${idPart(sessionId, 50)}-${mark}`)
}

/** A hostile or doubled file may name two agents alike. */
function distinct(threads: readonly Thread[]): readonly Thread[] {
  const taken = new Set<string>()
  return threads.map(thread => {
    let id = thread.id
    for (let count = 2; taken.has(id); count += 1) id = toSessionId(`${thread.id}-${count}`)
    taken.add(id)
    return id === thread.id ? thread : { ...thread, id }
  })
}

function inlineThread(
  chain: { readonly root: Line; readonly lines: readonly Line[] },
  all: readonly { readonly root: Line }[],
  path: string,
  rootId: SessionId,
): Thread {
  const uuid = chain.root.uuid ?? `line-${chain.root.no}`
  const short = uuid.slice(0, 8)
  const isShared = all.filter(({ root }) => root.uuid?.slice(0, 8) === short).length > 1
  return {
    id: toSessionId(`${rootId}.side-${idPart(isShared ? uuid : short, 44)}`),
    kind: 'inline',
    sourceId: uuid,
    path,
    lines: arrange(chain.lines),
    meta: null,
    workflow: null,
    warnings: [],
  }
}

/** Lines that an agent's file repeats from the main transcript are its parent's, not its own (issue P105). */
function agentThread(agent: AgentFile, rootId: SessionId, known: ReadonlyMap<string, Line>): Thread {
  const lines = arrange(agent.lines).map(placed => {
    const original = known.get(placed.line.uuid ?? '')
    const isCopy = original !== undefined && wordsOf(original) === wordsOf(placed.line)
    return isCopy ? { ...placed, shown: false } : placed
  })
  return {
    id: toSessionId(`${rootId}.agent-${idPart(agent.agentId, 44)}`),
    kind: 'agent',
    sourceId: agent.agentId,
    path: agent.path,
    lines,
    meta: agent.meta,
    workflow: agent.workflow,
    warnings: agent.warnings,
  }
}

function labelOf(
  thread: Thread,
  called: string | null,
  workflows: ReadonlyMap<string, string>,
): string | null {
  const candidates = [textField(thread.meta, 'description'), called, workflows.get(thread.sourceId)]
  for (const candidate of candidates) {
    const label = oneLine(candidate ?? '', MAX_LABEL)
    if (label !== '') return label
  }
  return null
}

function emptyTitle({ sessionId, main }: ClaudeSession): string {
  const shown = isUuid(sessionId) ? sessionId.slice(0, 8) : oneLine(sessionId, 40)
  return main === null ? `Session ${shown} (its own transcript is missing)` : '(empty)'
}

function firstTimeOf(threads: readonly Thread[]): number | null {
  const times = threads.flatMap(({ lines }) => firstTime(lines.map(({ line }) => line)) ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

function inOrder(
  main: Thread,
  children: readonly Thread[],
  { lineage }: Links,
): { thread: Thread; depth: number }[] {
  const ordered = [{ thread: main, depth: 0 }]
  for (const { thread, depth } of ordered) {
    for (const child of children) {
      if (lineage.get(child)?.parent === thread) ordered.push({ thread: child, depth: depth + 1 })
    }
  }
  return ordered
}

import { IMPORTED_PRESET, type SessionHeader } from '#shared/session/header.ts'
import { isUuid } from '../imported-ids.ts'
import { textField } from '../json-fields.ts'
import type { ImportedSession } from '../reader.ts'
import type { ClaudeSession } from './claude-session.ts'
import { type Links, linkThreads } from './delegations.ts'
import { EventLog } from './event-log.ts'
import { firstText, firstTime, isMessage, type Line } from './line.ts'
import { firstPrompt, type Thread } from './thread.ts'
import { threadsOf } from './threads.ts'
import { oneLine, titleOf } from './title.ts'
import { writeTranscript } from './transcript.ts'

export const CLAUDE_TOOL = 'claude-code'
const MAX_LABEL = 200

export function hasConversation(lines: readonly Line[]): boolean {
  return lines.some(isMessage)
}

/** Pure. The root, then its agents, each after its parent. Never throws, whatever the lines say. */
export function readClaudeHistory(session: ClaudeSession): ImportedSession[] {
  const { main, children } = threadsOf(session)
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

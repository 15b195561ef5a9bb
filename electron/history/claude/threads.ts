import { type SessionId, toSessionId } from '#shared/session/ids.ts'
import { idPart, isUuid, shortHash } from '../imported-ids.ts'
import { arrange } from './branches.ts'
import type { AgentFile, ClaudeSession } from './claude-session.ts'
import { type Line, wordsOf } from './line.ts'
import { splitSidechains } from './sidechains.ts'
import type { Thread } from './thread.ts'

/** The conversations of one session, with the ids they always get. */
export function threadsOf(session: ClaudeSession): { main: Thread; children: readonly Thread[] } {
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
  return { main, children }
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

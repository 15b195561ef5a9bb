import type { Dirent } from 'node:fs'
import { basename, join } from 'node:path'
import { entriesOf, isFolder, type Skipped } from './folders.ts'

export interface AgentPath {
  readonly agentId: string
  readonly path: string
  readonly workflow: string | null
}

/** What a project's folder holds about one session, by its names alone. */
export interface SessionPaths {
  readonly sessionId: string
  /** `null`: agents without a main file. */
  readonly main: string | null
  readonly agents: readonly AgentPath[]
  /** Records of workflow runs. */
  readonly workflows: readonly string[]
}

export interface ProjectPaths {
  readonly folder: string
  readonly sessions: readonly SessionPaths[]
  /** Agent files beside the sessions (about 2.0): only their lines say whose they are. */
  readonly flatAgents: readonly AgentPath[]
}

const AGENT_FILE = /^agent-(.+)\.jsonl$/

/** The id in the name of an agent's file. */
export function agentIdIn(path: string): string | undefined {
  return AGENT_FILE.exec(basename(path))?.[1]
}

/** What the folder of one project holds, by its names. What cannot be used is added to `skipped`. */
export async function projectPaths(
  folder: string,
  entries: readonly Dirent[],
  skipped: Skipped[],
): Promise<ProjectPaths> {
  const mains = new Map<string, string>()
  const folders = new Set<string>()
  const flatAgents: AgentPath[] = []
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.name.endsWith('.jsonl')) {
      const agentId = agentIdIn(entry.name)
      if (!entry.isFile()) skipped.push({ path, reason: whatItIs(entry) })
      else if (agentId !== undefined) flatAgents.push({ agentId, path, workflow: null })
      else mains.set(stem(path), path)
    } else if (entry.isDirectory()) {
      folders.add(entry.name)
    }
  }
  const sessions: SessionPaths[] = []
  for (const sessionId of [...new Set([...mains.keys(), ...folders])].toSorted()) {
    const agents: AgentPath[] = []
    const workflows: string[] = []
    if (folders.has(sessionId)) {
      await collectAgents(join(folder, sessionId, 'subagents'), null, agents, skipped)
      const records = join(folder, sessionId, 'workflows')
      const names = (await isFolder(records)) ? await entriesOf(records, skipped) : []
      workflows.push(...names.filter(isJsonFile).map(({ name }) => join(records, name)))
    }
    const main = mains.get(sessionId) ?? null
    if (main !== null || agents.length > 0) sessions.push({ sessionId, main, agents, workflows })
  }
  return { folder, sessions, flatAgents }
}

/** `subagents/` and, below it, `workflows/<run>/`; other folders are looked through as well. */
async function collectAgents(
  folder: string,
  workflow: string | null,
  agents: AgentPath[],
  skipped: Skipped[],
  depth = 0,
): Promise<void> {
  if (depth > 4 || (depth === 0 && !(await isFolder(folder)))) return
  for (const entry of await entriesOf(folder, skipped)) {
    const path = join(folder, entry.name)
    const agentId = agentIdIn(entry.name)
    if (agentId !== undefined && entry.isFile()) agents.push({ agentId, path, workflow })
    else if (agentId !== undefined) skipped.push({ path, reason: whatItIs(entry) })
    else if (entry.isDirectory()) {
      const run = basename(folder) === 'workflows' ? entry.name : workflow
      await collectAgents(path, run, agents, skipped, depth + 1)
    }
  }
}

function isJsonFile(entry: Dirent): boolean {
  return entry.isFile() && entry.name.endsWith('.json')
}

function whatItIs(entry: Dirent): string {
  if (entry.isSymbolicLink()) return 'a link: links inside the folder are not followed'
  return entry.isDirectory() ? 'a folder with the name of a transcript' : 'not a regular file'
}

export function stem(path: string): string {
  return basename(path, '.jsonl')
}

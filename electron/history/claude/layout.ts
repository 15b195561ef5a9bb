import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { messageOf } from '#shared/errors.ts'
import { sessionOfFile } from './prescan.ts'

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

export interface Skipped {
  readonly path: string
  readonly reason: string
}

export interface Layout {
  readonly projects: readonly ProjectPaths[]
  readonly skipped: readonly Skipped[]
  /** Set when one session was pointed at: agents of others are not its business. */
  readonly only: string | null
}

const AGENT_FILE = /^agent-(.+)\.jsonl$/

/**
 * Finds the transcripts below `path`: the tool's home, its `projects` folder, one project's folder, one session's
 * folder or file, one agent's file. Reads names only. Links inside are not followed, so nothing outside is read.
 */
export async function findTranscripts(path: string): Promise<Layout> {
  const skipped: Skipped[] = []
  const real = await realpath(path)
  if ((await stat(real)).isFile()) return oneFile(real, skipped)
  if (await isFolder(join(real, 'subagents'))) return oneSession(...sessionOf(real), skipped)
  if (basename(real) === 'subagents') return oneSession(...sessionOf(dirname(real)), skipped)
  for (const inner of ['projects', join('.claude', 'projects')]) {
    if (await isFolder(join(real, inner))) return allProjects(await realpath(join(real, inner)), skipped)
  }
  return allProjects(real, skipped)
}

async function oneFile(path: string, skipped: Skipped[]): Promise<Layout> {
  const folder = dirname(path)
  const agentId = AGENT_FILE.exec(basename(path))?.[1]
  if (agentId === undefined) return oneSession(folder, stem(path), skipped)
  const above = path.split(sep).lastIndexOf('subagents')
  if (above > 1) return oneSession(...sessionOf(path.split(sep).slice(0, above).join(sep)), skipped)
  const owner = await ownerOf(path)
  const isThere =
    owner !== null && basename(owner) === owner && (await isFile(join(folder, `${owner}.jsonl`)))
  if (isThere) return oneSession(folder, owner, skipped)
  const project = { folder, sessions: [], flatAgents: [{ agentId, path, workflow: null }] }
  return { projects: [project], skipped, only: null }
}

async function oneSession(folder: string, sessionId: string, skipped: Skipped[]): Promise<Layout> {
  const all = await project(folder, await entriesOf(folder, skipped), [])
  const sessions = all.sessions.filter(session => session.sessionId === sessionId)
  return { projects: [{ ...all, sessions }], skipped, only: sessionId }
}

async function allProjects(folder: string, skipped: Skipped[]): Promise<Layout> {
  const entries = await entriesOf(folder, skipped)
  const projects: ProjectPaths[] = []
  if (await isProject(folder, entries)) {
    projects.push(await project(folder, entries, skipped))
  } else {
    for (const { name } of entries.filter(entry => entry.isDirectory())) {
      const inner = join(folder, name)
      projects.push(await project(inner, await entriesOf(inner, skipped), skipped))
    }
  }
  return { projects, skipped, only: null }
}

/** It holds transcripts, or at least the folder of a session whose transcript is gone. */
async function isProject(folder: string, entries: readonly Dirent[]): Promise<boolean> {
  if (entries.some(({ name }) => name.endsWith('.jsonl'))) return true
  for (const { name } of entries) if (await isFolder(join(folder, name, 'subagents'))) return true
  return false
}

async function project(
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
      const agentId = AGENT_FILE.exec(entry.name)?.[1]
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
    const agentId = AGENT_FILE.exec(entry.name)?.[1]
    if (agentId !== undefined && entry.isFile()) agents.push({ agentId, path, workflow })
    else if (agentId !== undefined) skipped.push({ path, reason: whatItIs(entry) })
    else if (entry.isDirectory()) {
      const run = basename(folder) === 'workflows' ? entry.name : workflow
      await collectAgents(path, run, agents, skipped, depth + 1)
    }
  }
}

async function entriesOf(folder: string, skipped: Skipped[]): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    skipped.push({ path: folder, reason: `the folder could not be read: ${messageOf(error)}` })
    return []
  }
}

/** The project's folder and the id of a session's own folder. */
function sessionOf(folder: string): [project: string, sessionId: string] {
  return [dirname(folder), basename(folder)]
}

async function ownerOf(agentFile: string): Promise<string | null> {
  try {
    return await sessionOfFile(agentFile)
  } catch {
    // It is reported as unreadable when it is read.
    return null
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile()
  } catch {
    // As for folders.
    return false
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    // Absent or out of reach: then it is no folder we can use.
    return false
  }
}

function isJsonFile(entry: Dirent): boolean {
  return entry.isFile() && entry.name.endsWith('.json')
}

function whatItIs(entry: Dirent): string {
  if (entry.isSymbolicLink()) return 'a link: links inside the folder are not followed'
  return entry.isDirectory() ? 'a folder with the name of a transcript' : 'not a regular file'
}

function stem(path: string): string {
  return basename(path, '.jsonl')
}

import type { Dirent } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { entriesOf, isFile, isFolder, placeOf, type Skipped } from './folders.ts'
import { sessionOfFile } from './prescan.ts'
import { agentIdIn, type ProjectPaths, projectPaths, stem } from './project-paths.ts'

export interface Layout {
  readonly projects: readonly ProjectPaths[]
  readonly skipped: readonly Skipped[]
  /** Set when one session was pointed at: agents of others are not its business. */
  readonly only: string | null
}

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
    const projects = await placeOf(join(real, inner))
    if (projects !== null && (await isFolder(projects))) return allProjects(projects, skipped)
  }
  return allProjects(real, skipped)
}

async function oneFile(path: string, skipped: Skipped[]): Promise<Layout> {
  const folder = dirname(path)
  const agentId = agentIdIn(path)
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
  const all = await projectPaths(folder, await entriesOf(folder, skipped), [])
  const sessions = all.sessions.filter(session => session.sessionId === sessionId)
  return { projects: [{ ...all, sessions }], skipped, only: sessionId }
}

async function allProjects(folder: string, skipped: Skipped[]): Promise<Layout> {
  const entries = await entriesOf(folder, skipped)
  const projects: ProjectPaths[] = []
  if (await isProject(folder, entries)) {
    projects.push(await projectPaths(folder, entries, skipped))
  } else {
    for (const { name } of entries.filter(entry => entry.isDirectory())) {
      const inner = join(folder, name)
      projects.push(await projectPaths(inner, await entriesOf(inner, skipped), skipped))
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

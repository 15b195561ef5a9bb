import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CLAUDE_TOOL } from './claude/read-history.ts'

export interface HistorySource {
  readonly tool: string
  readonly path: string
  /** Transcripts by their names; empty ones count. */
  readonly sessions: number
}

/** What other tools left in the home folder `home`. Reads names only; what is absent or out of reach is left out. */
export async function findSources(home: string): Promise<HistorySource[]> {
  const path = join(home, '.claude', 'projects')
  let sessions = 0
  for (const project of await namesIn(path)) {
    const names = await namesIn(join(path, project))
    sessions += names.filter(name => name.endsWith('.jsonl') && !name.startsWith('agent-')).length
  }
  return sessions === 0 ? [] : [{ tool: CLAUDE_TOOL, path, sessions }]
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch {
    // Not there, not a folder or not ours to read: nothing to offer.
    return []
  }
}

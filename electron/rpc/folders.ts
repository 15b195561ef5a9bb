import { readdir, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { WorkbenchError } from '#shared/errors.ts'
import type { SettingsStore } from '../settings-store.ts'

const KEPT_WORKSPACES = 20

export interface FolderListing {
  readonly path: string
  readonly parent: string | null
  readonly folders: string[]
}

/** Names of the folders in `path`, hidden ones left out, by name. @throws WorkbenchError `FOLDER_MISSING`. */
export async function browseFolders(path: string): Promise<FolderListing> {
  const real = await requireFolder(path)
  const entries = await readdir(real, { withFileTypes: true }).catch((cause: unknown) => {
    throw new WorkbenchError('FOLDER_MISSING', `The folder ${real} cannot be read.`, { cause })
  })
  const folders = entries
    .filter(entry => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort((a, b) => a.localeCompare(b))
  const parent = dirname(real)
  return { path: real, parent: parent === real ? null : parent, folders }
}

/** Remembers a folder as the latest one opened. */
export async function openWorkspace(settings: SettingsStore, path: string): Promise<{ path: string }> {
  const real = await requireFolder(path)
  const others = settings.get().workspaces.filter(other => other !== real)
  settings.update({ workspaces: [real, ...others].slice(0, KEPT_WORKSPACES) })
  return { path: real }
}

async function requireFolder(path: string): Promise<string> {
  const real = isAbsolute(path) ? await realpath(join(path)).catch(() => null) : null
  if (real !== null && (await stat(real)).isDirectory()) return real
  throw new WorkbenchError('FOLDER_MISSING', `There is no folder ${path}.`)
}

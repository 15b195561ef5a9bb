import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface FolderSizes {
  readonly store: number
  readonly search: number
  readonly backups: number
  readonly damaged: number
  readonly logs: number
  readonly other: number
}

type Part = keyof FolderSizes

/** Sessions in folders of their own are measured by their store, not here. */
const SESSION_FOLDER = 'sessions'

/** Bytes of the data folder's files, by what they are for. Only looks at sizes: nothing is opened. */
export async function folderSizes(dataFolder: string): Promise<FolderSizes> {
  const sizes: Record<Part, number> = { store: 0, search: 0, backups: 0, damaged: 0, logs: 0, other: 0 }
  const folders: { readonly path: string; readonly part: Part | null }[] = [{ path: dataFolder, part: null }]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const { path, part } = folder
    // A folder that went away meanwhile uses nothing.
    const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (part === null && entry.name === SESSION_FOLDER) continue
      const own = part ?? partOf(entry.name)
      const inside = join(path, entry.name)
      if (entry.isDirectory()) folders.push({ path: inside, part: own })
      else if (entry.isFile()) sizes[own] += await sizeOf(inside)
    }
  }
  return sizes
}

function partOf(name: string): Part {
  if (/damaged|salvage|set-aside/.test(name)) return 'damaged'
  if (name === 'backups') return 'backups'
  if (name === 'logs') return 'logs'
  if (name.startsWith('search.db')) return 'search'
  return /^espalier\.db(-wal|-shm|-journal)?$/.test(name) ? 'store' : 'other'
}

/** Taken away meanwhile: nothing. */
async function sizeOf(file: string): Promise<number> {
  return await stat(file).then(
    ({ size }) => size,
    () => 0,
  )
}

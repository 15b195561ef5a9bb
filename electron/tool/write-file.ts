import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Replaces a file whole or not at all: a reader sees the old or the new bytes, also after a power cut. Parent folders
 * are made. `mode`: that of the file replaced, so that scripts stay executable. Rejects like `fs`, leaving no trace.
 */
export async function writeFileAtomic(path: string, text: string, mode: number | null): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const temporary = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomUUID()}.tmp`)
  try {
    const file = await open(temporary, 'wx', 0o666)
    try {
      await file.writeFile(text)
      if (mode !== null) await file.chmod(mode & 0o7777)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

import { once } from 'node:events'
import { type FileHandle, open, rm } from 'node:fs/promises'
import process from 'node:process'
import { hasFsCode } from '../fs-code.ts'
import { CommandFailure } from './failure.ts'

/** Where a long text goes, piece by piece. */
export interface TextSink {
  /** Resolves when the next piece may come. */
  write(text: string): Promise<void>
  close(): Promise<void>
  /** Leaves nothing half-written behind. */
  abandon(): Promise<void>
}

export function standardOutput(): TextSink {
  return {
    async write(text) {
      if (!process.stdout.write(text)) await once(process.stdout, 'drain')
    },
    close: async () => {},
    abandon: async () => {},
  }
}

/** A new file that only its owner can read. @throws CommandFailure when there is one already, or none can be made. */
export async function createFile(path: string): Promise<TextSink> {
  const file = await openNew(path)
  return {
    write: text => file.writeFile(text),
    close: async () => {
      await file.sync()
      await file.close()
    },
    abandon: async () => {
      await file.close()
      await rm(path, { force: true })
    },
  }
}

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    if (hasFsCode(error, 'EEXIST'))
      throw new CommandFailure(`There is a file ${path} already; name another one.`)
    throw new CommandFailure(`The file ${path} cannot be made.`, { cause: error })
  }
}

import {
  chmodSync,
  copyFileSync,
  type Dirent,
  existsSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { WorkbenchError } from '#shared/errors.ts'
import type { OutputSlice } from '../output-store.ts'
import { type Answer, answer, answerWithBytes, type EncodedEvents } from '../wire.ts'
import type { FolderLogs } from './folder-logs.ts'
import { idOfName, nameOf } from './folder-name.ts'
import type { GroupCommit, Written } from './group-commit.ts'
import type { SessionFolders } from './session-folders.ts'
import { errorCode, readRange, readSmall, syncFolder, withFile, writeAll, writeNew } from './side-files.ts'

const OUTPUTS = 'outputs'
/** Beside an output whose name does not tell its id. */
const ID_SUFFIX = '.id'
const MOST_ID_BYTES = 64 * 1024

/** A file an output, in a folder of its session. A fork has its own name for the same file, as long as disks can. */
export class FolderOutputs {
  readonly #folders: SessionFolders
  readonly #logs: FolderLogs
  readonly #commit: GroupCommit

  constructor(folders: SessionFolders, logs: FolderLogs, commit: GroupCommit) {
    this.#folders = folders
    this.#logs = logs
    this.#commit = commit
  }

  /** The outputs of the calls that a session being made inherits, all below `end`. Durable when this returns. */
  inherit(unborn: string, parent: string, { firstSeq, types, texts }: EncodedEvents, end: number): void {
    const from = join(this.#folders.folderOf(parent), OUTPUTS)
    if (!existsSync(from)) return
    const to = join(unborn, OUTPUTS)
    for (const [index, type] of types.entries()) {
      if (type !== 'tool/call' || firstSeq + index >= end) continue
      const name = nameOf(callIdOf(texts[index] ?? ''))
      if (!existsSync(join(from, name))) continue
      mkdirSync(to, { recursive: true, mode: 0o700 })
      share(join(from, name), join(to, name))
      if (existsSync(join(from, name + ID_SUFFIX)))
        share(join(from, name + ID_SUFFIX), join(to, name + ID_SUFFIX))
    }
    if (existsSync(to)) syncFolder(to)
  }

  get reads() {
    return {
      readOutput: (
        id: string,
        outputId: string,
        from: number,
        length: number,
      ): Answer<OutputSlice | null> => {
        const path = join(this.#logs.session(id).entry.folder, OUTPUTS, nameOf(outputId))
        try {
          return withFile(path, 'read', fd => {
            const { size } = fstatSync(fd)
            const bytes = Uint8Array.from(readRange(fd, from, Math.min(from + length, size)))
            return answerWithBytes<OutputSlice>({ size }, bytes)
          })
        } catch (error) {
          if (errorCode(error) === 'ENOENT') return answer(null)
          throw error
        }
      },
      listOutputs: (id: string): Answer<readonly { id: string; size: number }[]> =>
        answer(listOutputs(this.#logs.session(id).entry.folder)),
    }
  }

  get writes() {
    return {
      appendOutput: (id: string, outputId: string, from: number, bytes: Uint8Array): Answer<null> => {
        if (bytes.length > 0) this.#commit.run(() => this.#append(id, outputId, from, bytes))
        return answer(null)
      },
    }
  }

  #append(id: string, outputId: string, from: number, bytes: Uint8Array): void {
    const entry = this.#folders.get(id)
    if (entry === undefined) throw new WorkbenchError('SESSION_NOT_FOUND', `There is no session ${id}.`)
    const path = join(entry.folder, OUTPUTS, nameOf(outputId))
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined && from === 0) this.#makeFile(path, outputId)
    const size = found?.size ?? 0
    if (size !== from) {
      throw new WorkbenchError('SEQ_CONFLICT', `An output of ${size} bytes cannot go on at ${from}.`)
    }
    if (found !== undefined && (found.nlink > 1 || (found.mode & 0o200) === 0)) {
      throw new WorkbenchError('BAD_REQUEST', 'An inherited output does not change any more.')
    }
    const fd = this.#commit.touch(outputFile(path), descriptor => ftruncateSync(descriptor, size))
    writeAll(fd, bytes, size)
  }

  #makeFile(path: string, outputId: string): void {
    const folder = dirname(path)
    if (!existsSync(folder)) {
      mkdirSync(folder, { mode: 0o700 })
      this.#commit.touchFolder(dirname(folder), () => {}) // an empty folder is nothing
    }
    this.#commit.touchFolder(folder, () => {
      rmSync(path, { force: true })
      rmSync(path + ID_SUFFIX, { force: true })
    })
    if (idOfName(basename(path)) === null) {
      rmSync(path + ID_SUFFIX, { force: true })
      writeNew(path + ID_SUFFIX, Buffer.from(outputId))
    }
    writeNew(path, Buffer.alloc(0))
  }
}

/** By id, as code units go. */
export function listOutputs(folder: string): { id: string; size: number }[] {
  const outputs = join(folder, OUTPUTS)
  return filesOf(outputs)
    .filter(name => !name.endsWith(ID_SUFFIX))
    .flatMap(name => {
      const id = idOfName(name) ?? readSmall(join(outputs, name + ID_SUFFIX), MOST_ID_BYTES)?.toString('utf8')
      return id === undefined ? [] : [{ id, size: statSync(join(outputs, name)).size }]
    })
    .sort((one, other) => (one.id < other.id ? -1 : 1))
}

export function outputPath(folder: string, outputId: string): string {
  return join(folder, OUTPUTS, nameOf(outputId))
}

/** Where the id of an output stands whose name does not tell it. */
export function outputIdFile(path: string): string {
  return path + ID_SUFFIX
}

function filesOf(folder: string): string[] {
  let items: Dirent[] = []
  try {
    items = readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  return items.filter(item => item.isFile()).map(({ name }) => name)
}

function outputFile(path: string): Written {
  return { path, committed: () => {} }
}

function share(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    // No second names on this disk: a copy, and neither of the two changes any more.
    copyFileSync(from, to)
    chmodSync(from, 0o400)
    chmodSync(to, 0o400)
  }
}

function callIdOf(text: string): string {
  const data: unknown = JSON.parse(text)
  const callId = typeof data === 'object' && data !== null && 'callId' in data ? data.callId : undefined
  return typeof callId === 'string' ? callId : ''
}

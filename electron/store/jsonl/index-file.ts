import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { groupLine, LogIndex, readIndex } from './log-index.ts'
import { readSmall, replaceFile, withFile, writeAll } from './side-files.ts'

export const INDEX_FILE = 'index'
const MOST_BYTES = 256 * 1024 * 1024

/** The index of a log, stored beside it. It can be made from the log at any time: nothing here may fail anybody. */
export class IndexFile {
  readonly #path: string
  /** How many groups are stored, and where the last of them begins; `null`: all of it is to be written anew. */
  #stored: { readonly groups: number; readonly at: number } | null = null

  constructor(folder: string) {
    this.#path = join(folder, INDEX_FILE)
  }

  read(): LogIndex {
    try {
      const text = readSmall(this.#path, MOST_BYTES)
      return text === null ? new LogIndex() : readIndex(text.toString('latin1'))
    } catch {
      // Not to be read is as good as absent: the log says it all.
      return new LogIndex()
    }
  }

  /** The file holds `index` as it is now: only what comes is to be written. */
  takeAsStored(index: LogIndex): void {
    const last = index.groups.at(-1)
    this.#stored =
      last === undefined
        ? null
        : { groups: index.groups.length, at: index.text().length - groupLine(last).length }
  }

  /** What is stored is not to be gone on with. */
  forget(): void {
    this.#stored = null
  }

  store(index: LogIndex): void {
    try {
      if (this.#stored !== null) {
        this.#stored = this.#storeRest(index, this.#stored)
        return
      }
      replaceFile(this.#path, index.text(), false)
      this.takeAsStored(index)
    } catch {
      // Without it the next start reads the log instead.
      this.#stored = null
    }
  }

  remove(): void {
    this.#stored = null
    rmSync(this.#path, { force: true })
  }

  /** The last stored group has grown, others follow it. */
  #storeRest({ groups }: LogIndex, stored: { readonly groups: number; readonly at: number }) {
    const lines = groups.slice(Math.max(0, stored.groups - 1)).map(groupLine)
    const text = lines.join('')
    withFile(this.#path, 'write', fd => writeAll(fd, Buffer.from(text), stored.at))
    return { groups: groups.length, at: stored.at + text.length - (lines.at(-1)?.length ?? 0) }
  }
}

import { closeSync, fdatasyncSync } from 'node:fs'
import { messageOf, WorkbenchError } from '#shared/errors.ts'
import { openFile, syncFolder } from './side-files.ts'

/** A file that was written to and takes part in the commit. */
export interface Written {
  readonly path: string
  /** It is durable now. */
  committed(): void
}

/**
 * Makes what several steps write durable together: each file that they touched is waited for once. What fails is
 * taken back, a step's own writes when the step fails, all of them when the medium refuses to keep them.
 */
export class GroupCommit {
  readonly #files = new Map<Written, number>()
  readonly #folders = new Set<string>()
  #undo: (() => void)[] = []
  #released: number[] = []
  #isOpen = false

  run<T>(work: () => T): T {
    if (this.#isOpen) return this.#undoneAlone(this.#undo.length, work)
    this.#isOpen = true
    try {
      return this.#undoneAlone(0, () => {
        const result = work()
        this.#makeDurable()
        return result
      })
    } finally {
      this.#end()
    }
  }

  /** The file's descriptor, open until the commit. `undo` is called before anything else is undone that came before. */
  touch(file: Written, undo: (fd: number) => void): number {
    const fd = this.#files.get(file) ?? openFile(file.path, 'write')
    this.#files.set(file, fd)
    this.#undo.push(() => undo(fd))
    return fd
  }

  /** Another file takes its place: what was written to the one before is of no interest any more. */
  release(file: Written): void {
    const fd = this.#files.get(file)
    if (fd !== undefined) this.#released.push(fd)
    this.#files.delete(file)
  }

  /** Names in this folder change. */
  touchFolder(path: string, undo: () => void): void {
    this.#folders.add(path)
    this.#undo.push(undo)
  }

  #makeDurable(): void {
    for (const fd of this.#files.values()) fdatasyncSync(fd)
    for (const folder of this.#folders) syncFolder(folder)
    for (const file of this.#files.keys()) file.committed()
  }

  #undoneAlone<T>(from: number, work: () => T): T {
    try {
      return work()
    } catch (error) {
      const failures: unknown[] = []
      for (const undo of this.#undo.splice(from).reverse()) {
        try {
          undo()
        } catch (failure) {
          failures.push(failure)
        }
      }
      if (failures.length === 0) throw error
      const problem = `${messageOf(error)} What was written of it could not be taken back: ${messageOf(failures[0])}`
      throw new WorkbenchError('STORE_UNAVAILABLE', problem, { cause: error })
    }
  }

  #end(): void {
    for (const fd of [...this.#files.values(), ...this.#released]) closeSync(fd)
    this.#released = []
    this.#files.clear()
    this.#folders.clear()
    this.#undo = []
    this.#isOpen = false
  }
}

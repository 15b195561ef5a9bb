import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { GroupCommit } from './group-commit.ts'
import { readSmall, replaceFile } from './side-files.ts'

export const MARKS_FILE = 'marks.json'
const MOST_BYTES = 512 * 1024 * 1024

const trashedSchema = z.object({
  /** Epoch milliseconds. */
  at: z.number(),
  /** The session whose act it was. */
  with: z.string(),
})
const marksSchema = z.object({
  /** By id: the session whose act it was. */
  archived: z.record(z.string(), z.string()).default({}),
  trashed: z.record(z.string(), trashedSchema).default({}),
  /** How often a torn tail was cut off. */
  cuts: z.record(z.string(), z.number().int().positive()).default({}),
})
export type Trashed = z.infer<typeof trashedSchema>

/**
 * What was done to sessions without touching their logs. One file for all of them: an act on a whole tree is one
 * step, whole or not at all.
 */
export class Marks {
  readonly #path: string
  readonly #root: string
  readonly #commit: GroupCommit
  readonly archived = new Map<string, string>()
  readonly trashed = new Map<string, Trashed>()
  readonly cuts = new Map<string, number>()
  /** What was wrong with the file, `null` for nothing. */
  readonly problem: string | null

  constructor(root: string, commit: GroupCommit, readOnly: boolean) {
    this.#root = root
    this.#path = join(root, MARKS_FILE)
    this.#commit = commit
    this.problem = this.#load(readOnly)
  }

  /** Durable with the commit that it is part of; undone as a whole. */
  change(work: () => void): void {
    const before = this.#text()
    this.#commit.touchFolder(this.#root, () => {
      this.#take(marksSchema.parse(JSON.parse(before)))
      replaceFile(this.#path, before, true)
    })
    work()
    replaceFile(this.#path, this.#text(), true)
  }

  #load(readOnly: boolean): string | null {
    const bytes = readSmall(this.#path, MOST_BYTES)
    if (bytes === null) return null
    try {
      this.#take(marksSchema.parse(JSON.parse(bytes.toString('utf8'))))
      return null
    } catch {
      // Set aside, never written over: somebody may want to read what it said.
      if (!readOnly) renameSync(this.#path, `${this.#path}-damaged-${Date.now()}`)
      return `${MARKS_FILE} could not be read: what was archived or in the trash is shown again.`
    }
  }

  #take({ archived, trashed, cuts }: z.infer<typeof marksSchema>): void {
    refill(this.archived, archived)
    refill(this.trashed, trashed)
    refill(this.cuts, cuts)
  }

  #text(): string {
    const marks = {
      archived: Object.fromEntries(this.archived),
      trashed: Object.fromEntries(this.trashed),
      cuts: Object.fromEntries(this.cuts),
    }
    return marksText(marks)
  }
}

export function marksText(marks: z.infer<typeof marksSchema>): string {
  return `${JSON.stringify(marks, null, 1)}\n`
}

function refill<T>(map: Map<string, T>, entries: Readonly<Record<string, T>>): void {
  map.clear()
  for (const [id, value] of Object.entries(entries)) map.set(id, value)
}

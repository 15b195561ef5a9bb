import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckpointReads } from '../checkpoint-reads.ts'
import { PURGED } from '../sqlite/trash.ts'
import type { StoredUsage, UsageStep } from '../stored-usage.ts'
import { type Sized, usageOf } from '../usage-trees.ts'
import { type Answer, answer } from '../wire.ts'
import { endOf } from './folder-logs.ts'
import type { Marks } from './marks.ts'
import type { Entry, SessionFolders } from './session-folders.ts'

const STEP_MS = 6

/** What each session's files take. One that two sessions share counts for the first that is met. */
export function createFolderUsage(
  folders: SessionFolders,
  marks: Marks,
  checkpoints: Pick<CheckpointReads, 'labelOf'>,
) {
  let measuring: Generator<{ measured: number; sessions: number }, StoredUsage> | null = null

  function* measure(): Generator<{ measured: number; sessions: number }, StoredUsage> {
    const entries = [...folders.all()]
    const counted = new Set<string>()
    const sized: Sized[] = []
    for (const entry of entries) {
      sized.push(sizedEntry(entry, bytesIn(entry.folder, counted)))
      yield { measured: sized.length, sessions: entries.length }
    }
    const summing = usageOf(sized, (key, end) => checkpoints.labelOf(key, end), 0)
    let summed = summing.next()
    for (; summed.done !== true; summed = summing.next()) {
      yield { measured: sized.length, sessions: entries.length }
    }
    return summed.value
  }

  function sizedEntry(entry: Entry, bytes: number): Sized {
    const { key, id, place } = entry
    const act = marks.trashed.get(id)?.with ?? null
    return {
      key,
      id,
      parent: place.origin === 'subagent' ? place.parent : null,
      act: act === PURGED ? null : act,
      isGone: act === PURGED,
      archived: marks.archived.has(id) ? 1 : 0,
      endSeq: endOf(entry).end,
      bytes,
    }
  }

  return {
    usageStep(begin: boolean): Answer<UsageStep> {
      if (begin || measuring === null) measuring = measure()
      for (const until = performance.now() + STEP_MS; ; ) {
        const step = measuring.next()
        if (step.done === true) {
          measuring = null
          return answer({ done: true, usage: step.value })
        }
        if (performance.now() > until) return answer({ done: false, ...step.value })
      }
    },

    /** Files give back what they do not use by themselves. */
    compact(): Answer<null> {
      return answer(null)
    },
  }
}

function bytesIn(folder: string, counted: Set<string>): number {
  let bytes = 0
  try {
    for (const item of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, item.name)
      if (item.isDirectory()) bytes += bytesIn(path, counted)
      else if (item.isFile()) bytes += bytesOf(path, counted)
    }
  } catch {
    // What cannot be looked into is not counted.
  }
  return bytes
}

function bytesOf(path: string, counted: Set<string>): number {
  const { size, nlink, dev, ino } = statSync(path)
  if (nlink === 1) return size
  const file = `${dev} ${ino}`
  if (counted.has(file)) return 0
  counted.add(file)
  return size
}

import { diffOf } from './file-diff.ts'
import { okOutcome } from './outcome-text.ts'
import type { ToolOutcome } from './tool.ts'
import { writeFileAtomic } from './write-file.ts'

export interface Change {
  /** The real file, and how it is named to people. */
  readonly path: string
  readonly shown: string
  /** `null`: there is no text to compare with. */
  readonly before: string | null
  readonly after: string
  readonly mode: number | null
}

/** Writes a change and tells what it was. `done`: the sentence the model reads. Rejects like `fs`. */
export async function saveChange(change: Change, done: string): Promise<ToolOutcome> {
  await writeFileAtomic(change.path, change.after, change.mode)
  const diff = change.before === null ? null : diffOf(change.shown, change.before, change.after)
  if (diff === null) return okOutcome(done, { files: [change.shown] })
  return okOutcome(diff.cut ? `${done} The diff is shown in part: it is long.` : done, {
    files: [change.shown],
    summary: `+${diff.added} −${diff.removed}`,
    ...(diff.text === '' ? {} : { diff: diff.text }),
  })
}

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '#shared/errors.ts'
import type { FoldSnapshot } from '#shared/projection/fold.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { OutputStore } from '../store/output-store.ts'
import type { Inspection } from '../store/persistence.ts'
import type { Store } from '../store/store-client.ts'
import { EFFECTS_FILE } from './scenes.ts'
import type { Verdict } from './verdict.ts'

/** One log as a fresh reader finds it. Nothing is written for it. */
export interface Look {
  readonly id: SessionId
  readonly inspection: Inspection
  /** The seqs of the rows, as they are stored. */
  readonly rows: readonly number[]
  /** From checkpoint and tail. */
  readonly restored: FoldSnapshot
  /** The bytes of each stored output, by its id. */
  readonly outputs: ReadonlyMap<string, Buffer>
  /** From the first event on. */
  readonly folded: FoldSnapshot
}

const MOST_ROWS = 1_000_000

export async function lookAtAll(
  { persistence, checkpoints, outputs }: Store,
  verdict: Verdict,
): Promise<Look[]> {
  const { sessions, unreadable } = await persistence.list({ kind: 'all' })
  for (const { id, problem } of unreadable) verdict.fault('unloadable', `${id}: ${problem}`)
  const looks: Look[] = []
  for (const { header } of sessions) {
    const { id } = header
    try {
      const inspection = await persistence.inspect(id)
      const rows = (await persistence.raw(id, 0, MOST_ROWS)).map(({ seq }) => seq)
      const restored = await checkpoints.snapshot(id)
      const { snapshot: folded } = await persistence.inspectFolded(id)
      looks.push({ id, inspection, rows, outputs: await readAll(outputs, id), restored, folded })
    } catch (error) {
      verdict.fault('unloadable', `${id}: ${messageOf(error)}`)
    }
  }
  return looks
}

async function readAll(outputs: OutputStore, id: SessionId): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>()
  for (const { id: outputId, size } of await outputs.list(id)) {
    const slice = await outputs.read(id, outputId, { from: 0, length: size })
    if (slice !== null) found.set(outputId, Buffer.from(slice.bytes))
  }
  return found
}

/** How often each marker was left in the world. */
export async function lookAtEffects(at: string): Promise<ReadonlyMap<string, number>> {
  const text = await readFile(join(at, 'project', EFFECTS_FILE), 'utf8').catch(() => '')
  const counts = new Map<string, number>()
  const files = (await readdir(join(at, 'project'))).flatMap(
    name => /^(m\d+c\d+)\.txt$/.exec(name)?.[1] ?? [],
  )
  for (const marker of [...files, ...text.split('\n').filter(line => line !== '')])
    counts.set(marker, (counts.get(marker) ?? 0) + 1)
  return counts
}

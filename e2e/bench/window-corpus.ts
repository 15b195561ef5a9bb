import { strict as assert } from 'node:assert'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { fillCorpus } from '../../electron/corpus/fill-corpus.ts'
import { databaseFile } from '../../electron/store/data-folder.ts'
import { openStore, type Store } from '../../electron/store/store-client.ts'

export interface WindowCorpusSizes {
  readonly sessions: number
  readonly children: number
  /** Trees among the sessions that a window opens, and the children of each. */
  readonly wideTrees: number
  readonly wideChildren: number
  readonly wideEvents: number
  /** Sessions with one child each, and its events. */
  readonly longTrees: number
  readonly longEvents: number
}

/** Of trees whose child came to an end. */
const LONG_SEEDS = [200, 201, 203]

export interface WindowCorpus {
  readonly dataFolder: string
  readonly sizes: WindowCorpusSizes
  /** Roots of the trees to open, in the order in which a list by title has them. */
  readonly wide: readonly string[]
  readonly long: readonly string[]
}

/** A data folder of a person with many sessions, made by Espalier's own writer. */
export async function makeWindowCorpus(folder: string, sizes: WindowCorpusSizes): Promise<WindowCorpus> {
  const dataFolder = join(folder, 'window-corpus')
  mkdirSync(dataFolder, { recursive: true })
  const { sessions, children, wideTrees, wideChildren, wideEvents, longTrees, longEvents } = sizes
  const unrelated = Math.max(0, sessions - wideTrees - longTrees)
  const left = Math.max(0, children - wideTrees * wideChildren - longTrees)
  const plain = { unrelated: 0, unrelatedChildren: 0, depth: 1, checkpoints: true }
  const wide: string[] = []
  const long: string[] = []
  const store = await openStore({ dataFolder })
  try {
    const fill = (options: Partial<Parameters<typeof fillCorpus>[1]> & { seed: number }) =>
      fillCorpus({ ...store, cwd: folder }, { ...plain, children: 1, events: longEvents, ...options })
    for (let tree = 0; tree < wideTrees; tree += 1) {
      const isFirst = tree === 0
      const { root } = await fill({
        seed: 100 + tree,
        children: wideChildren,
        events: wideEvents,
        unrelated: isFirst ? unrelated : 0,
        unrelatedChildren: isFirst && unrelated > 0 ? Math.round(left / unrelated) : 0,
      })
      wide.push(root)
    }
    for (const seed of LONG_SEEDS.slice(0, longTrees)) long.push((await fill({ seed })).root)
    await settle(store)
  } finally {
    await store.close()
  }
  return { dataFolder, sizes, wide, long }
}

/** As a folder that has been in use: nothing is left to be done for it in the background. */
async function settle({ checkpoints, search }: Store): Promise<void> {
  await checkpoints.caughtUp()
  assert.equal((await checkpoints.behind()).length, 0)
  while ((await search.status()).state === 'building') await setTimeout(500)
}

export interface CorpusChild {
  readonly id: string
  /** The end of what it said last. */
  readonly lastWords: string
}

/** The children of a root, as a reader of the database knows them. */
export function childrenOf(dataFolder: string, root: string): readonly CorpusChild[] {
  const db = new Database(databaseFile(dataFolder), { readonly: true })
  try {
    const rows = db
      .prepare<[string], { id: string; message: string }>(
        `SELECT id, (SELECT data FROM event WHERE session_key = session.key AND type = 'assistant/message'
             ORDER BY seq DESC LIMIT 1) message
         FROM session WHERE parent_session = ? AND origin = 'subagent' ORDER BY created_at, id`,
      )
      .all(root)
    return rows.map(({ id, message }) => ({ id, lastWords: textIn(JSON.parse(message)).trim().slice(-30) }))
  } finally {
    db.close()
  }
}

function textIn({ content }: { readonly content: readonly { type: string; text?: string }[] }): string {
  return content.findLast(({ type }) => type === 'text')?.text ?? ''
}

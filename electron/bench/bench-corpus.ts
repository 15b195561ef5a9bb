import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fillCorpus } from '../corpus/fill-corpus.ts'
import type { CorpusOptions } from '../corpus/plan.ts'
import { openStore } from '../store/store-client.ts'

/** A data folder with a corpus in it. Returns the folder and the root's id. */
export async function makeCorpus(
  folder: string,
  options: Partial<CorpusOptions> & Pick<CorpusOptions, 'children' | 'events'>,
): Promise<{ readonly dataFolder: string; readonly root: string }> {
  const dataFolder = join(folder, `corpus-${options.children}-${options.events}-${options.seed ?? 1}`)
  mkdirSync(dataFolder, { recursive: true })
  const store = await openStore({ dataFolder })
  const full: CorpusOptions = {
    unrelated: 0,
    unrelatedChildren: 0,
    depth: 1,
    checkpoints: true,
    seed: 1,
    ...options,
  }
  const { root } = await fillCorpus({ ...store, cwd: folder }, full).finally(() => store.close())
  return { dataFolder, root }
}

import { atMost } from './at-most.ts'
import type { Candidate } from './candidates.ts'
import type { CatalogDeps } from './catalog-deps.ts'

const AT_ONCE = 4
/** For all folders together: a share that does not answer must not hold up a listing. */
const PATIENCE_MS = 1000

/** The folders of these sessions that are known to be gone. A folder that cannot be asked about is not among them. */
export async function missingFolders(
  { isFolderMissing }: CatalogDeps,
  candidates: readonly Candidate[],
): Promise<ReadonlySet<string>> {
  const missing = new Set<string>()
  if (isFolderMissing === undefined) return missing
  const folders = [...new Set(candidates.flatMap(({ header }) => header.cwd ?? []))]
  let isOver = false
  const asking = atMost(AT_ONCE, folders, async folder => {
    if (isOver) return
    // Not knowing is no warning, whatever the reason.
    const isMissing = await isFolderMissing(folder).catch(() => false)
    if (isMissing && !isOver) missing.add(folder)
  })
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>(resolve => {
    timer = setTimeout(resolve, PATIENCE_MS)
  })
  await Promise.race([asking, patience])
  clearTimeout(timer)
  isOver = true
  return missing
}

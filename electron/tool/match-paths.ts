import picomatch from 'picomatch'
import { createLineMatcher } from './match-lines.ts'
import type { WalkedFile } from './walk-files.ts'

const BATCH = 1000
const BATCH_DEADLINE_MS = 500

/** A glob that takes too long on some name. */
export class GlobTooSlow extends Error {}

/**
 * The files that a glob matches, in their order. A glob without a slash matches names at any depth. It is compiled to a
 * regular expression, so it runs under a deadline too. Names with a line break are left out.
 * @throws GlobTooSlow
 */
export async function* matchPaths(
  files: AsyncIterable<WalkedFile>,
  glob: string,
): AsyncGenerator<WalkedFile> {
  const { source } = picomatch.makeRe(
    glob.startsWith('./') ? glob.slice(2) : glob.includes('/') ? glob : `**/${glob}`,
    { dot: true },
  )
  const matcher = createLineMatcher({ source, flags: '' })
  let batch: WalkedFile[] = []
  const matched = (): readonly WalkedFile[] => {
    const found = matcher(batch.map(file => file.relative).join('\n'), BATCH, BATCH_DEADLINE_MS)
    if (found.kind === 'too-slow') throw new GlobTooSlow()
    const wanted = new Set(found.lines.map(line => line.number - 1))
    return batch.filter((_, index) => wanted.has(index))
  }
  for await (const file of files) {
    if (file.relative.includes('\n')) continue
    batch.push(file)
    if (batch.length < BATCH) continue
    yield* matched()
    batch = []
  }
  yield* matched()
}

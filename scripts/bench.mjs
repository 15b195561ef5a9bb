// `npm run bench [-- --only <name>]`: runs every benchmark, each file in a fresh process. A benchmark is a program
// (`x.bench.ts` beside its subject) that is given these arguments and prints one JSON object per line.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import process from 'node:process'
import { projectRoot } from './packaged-node.mjs'

const files = globSync('{shared,electron,renderer,e2e}/**/*.bench.ts', { cwd: projectRoot }).sort()
if (files.length === 0) {
  console.error('There are no benchmarks.')
  process.exit(1)
}

for (const file of files) {
  const { status } = spawnSync(process.execPath, ['--expose-gc', file, ...process.argv.slice(2)], {
    cwd: projectRoot,
    stdio: 'inherit',
  })
  if (status === 0) continue
  console.error(`${file} failed.`)
  process.exitCode = 1
}

// `npm run bench [-- --only <name>]`: runs every benchmark, each file in a fresh process. A benchmark is a program
// (`x.bench.ts` beside its subject) that is given these arguments and prints one JSON object per line. They are
// bundled first, as Espalier itself is: running from sources costs memory that people's Espalier never uses.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import process from 'node:process'
import { build } from 'vite'
import packageJson from '../package.json' with { type: 'json' }
import { buildIfChanged } from './build.mjs'
import { hostEnvironment, hostFlags, projectRoot } from './packaged-node.mjs'

const { dependencies } = packageJson
const folder = join(projectRoot, '.build', 'bench')
const sources = globSync('{shared,electron,renderer,e2e}/**/*.bench.ts', { cwd: projectRoot }).sort()
/** Started beside the bundle by their names. */
const threads = globSync('electron/store/**/{thread,file-thread}.ts', { cwd: projectRoot })
if (sources.length === 0) {
  console.error('There are no benchmarks.')
  process.exit(1)
}
// Those of the window run the program itself.
if (!buildIfChanged()) process.exit(1)

const nameOf = (/** @type {string} */ file) => basename(file, '.ts')
await build({
  configFile: false,
  root: projectRoot,
  logLevel: 'warn',
  ssr: { noExternal: Object.keys(dependencies).filter(name => name !== 'better-sqlite3') },
  build: {
    ssr: true,
    target: 'node24',
    outDir: folder,
    emptyOutDir: true,
    rollupOptions: {
      input: Object.fromEntries(
        [...sources, ...threads].map(file => [nameOf(file), join(projectRoot, file)]),
      ),
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
})

for (const source of sources) {
  const program = join(folder, `${nameOf(source)}.js`)
  const { status } = spawnSync(
    process.execPath,
    [...hostFlags, '--expose-gc', program, ...process.argv.slice(2)],
    {
      cwd: projectRoot,
      stdio: 'inherit',
      env: hostEnvironment,
    },
  )
  if (status === 0) continue
  console.error(`${source} failed.`)
  process.exitCode = 1
}

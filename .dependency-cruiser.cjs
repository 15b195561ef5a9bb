// Who may import whom (ARCHITECTURE.md). scripts/check-boundaries.mjs runs these rules, and
// scripts/check-boundaries.test.ts feeds every one of them a breach.

const tests = '\\.(test|bench|contract)\\.tsx?$|/fixtures/'

/** The store's interface: types alone, so whoever is handed a store may name it. */
const storeInterface = 'electron/store/persistence\\.ts'

/** What any folder of electron/ may use: it knows nothing of Espalier. */
const plainHelpers = 'electron/slices\\.ts'

/** A folder of electron/ that may import, inside electron/, itself and the folders named. */
const within = (folder, ...allowed) => ({
  name: `${folder}-imports`,
  comment: `electron/${folder} may import ${allowed.length ? allowed.join(', ') : 'no other folder of electron/'}.`,
  severity: 'error',
  from: { path: `^electron/${folder}/`, pathNot: tests },
  to: {
    path: '^electron/',
    pathNot: `^electron/(${[folder, ...allowed].join('|')})/|^${storeInterface}$|^${plainHelpers}$`,
  },
})

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

module.exports = {
  forbidden: [
    forbid('no-cycles', 'Two files that need each other are one file, or three.', {}, { circular: true }),
    forbid(
      'no-dangling-import',
      'An import must lead somewhere, or no other rule can judge it.',
      {},
      { couldNotResolve: true },
    ),

    forbid(
      'shared-is-below',
      'shared/ is used by everyone and uses no one.',
      { path: '^shared/' },
      { path: '^(electron|renderer|e2e|scripts|bin)/' },
    ),
    forbid(
      'shared-is-pure',
      'shared/ runs in Node and in the browser: no Node modules.',
      { path: '^shared/', pathNot: tests },
      { dependencyTypes: ['core'] },
    ),
    forbid(
      'shared-packages',
      'shared/ depends on schemas and the contract alone; a new package needs a reason and a place in this list.',
      { path: '^shared/', pathNot: tests },
      { path: 'node_modules/', pathNot: 'node_modules/(zod|@orpc/contract|@orpc/client|diff)/' },
    ),
    forbid(
      'electron-not-renderer',
      'Only the contract crosses. A test may put a window in front of its host.',
      { path: '^electron/', pathNot: tests },
      { path: '^renderer/' },
    ),
    forbid(
      'renderer-not-electron',
      'Only the contract crosses.',
      { path: '^renderer/' },
      { path: '^electron/' },
    ),
    forbid(
      'renderer-is-a-page',
      'A sandboxed page has no Node.',
      { path: '^renderer/', pathNot: tests },
      { dependencyTypes: ['core'] },
    ),
    forbid(
      'only-the-shell-imports-electron',
      'Everything below the shell runs without Electron.',
      { path: '^(shared|electron|renderer)/', pathNot: '^electron/(main\\.ts|preload\\.ts|shell/)' },
      { path: 'node_modules/electron/' },
    ),

    within('store'),
    within('session', 'store'),
    within('projection', 'session'),
    within('model'),
    within('storage', 'store'),
    within('query', 'store', 'session', 'projection', 'subagent'),
    within('agent', 'session', 'model', 'tool'),
    within('subagent', 'agent', 'session', 'projection', 'tool'),
    forbid(
      'store-is-handed-in',
      'Only session/ and the composition root hold a store; the others may name its type and are handed one.',
      { path: '^electron/(projection|model|agent|tool|subagent|rpc)/', pathNot: tests },
      { path: `^${storeInterface}$`, dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'tool-is-handed-functions',
      'A tool never reaches for an agent or a child: it is handed functions.',
      { path: '^electron/tool/' },
      { path: '^electron/(agent|subagent)/' },
    ),
    forbid(
      'history-reads-only',
      'history/ reads and writes transcripts; it starts nothing.',
      { path: '^electron/history/', pathNot: tests },
      { path: '^electron/(agent|subagent|model|tool)/' },
    ),
    forbid(
      'catalog-wakes-no-one',
      'The catalog lists cold children: agents and activations are out of its reach, however indirect.',
      { path: '^electron/subagent/(catalog/|list-children|list-descendants)', pathNot: tests },
      { path: '^electron/(agent/|subagent/activation)', reachable: true },
    ),
    forbid(
      'top-stays-on-top',
      'rpc/, cli/, workbench.ts and the shells are built on the rest, never the other way round.',
      { path: '^electron/(store|session|projection|agent|model|tool|subagent|history)/', pathNot: tests },
      { path: '^electron/(rpc/|cli/|shell/|(main|preload|serve|workbench)\\.ts)' },
    ),
    forbid(
      'shell-on-top',
      'The desktop shell sits above rpc/ and workbench.ts.',
      { path: '^electron/(rpc/|cli/|(serve|workbench)\\.ts)' },
      { path: '^electron/(shell/|(main|preload)\\.ts)' },
    ),
    forbid(
      'features-apart',
      'Renderer features never import each other; what they share belongs in store/ or ui/.',
      { path: '^renderer/features/([^/]+)/' },
      { path: '^renderer/features/', pathNot: '^renderer/features/$1/' },
    ),
    forbid(
      'ui-knows-nothing',
      'ui/ knows nothing of the product.',
      { path: '^renderer/ui/' },
      { path: '^renderer/(features|store)/' },
    ),
    forbid(
      'product-without-tests',
      'The product never imports a test.',
      { path: '^(shared|electron|renderer)/', pathNot: tests },
      { path: `(${tests})|^e2e/` },
    ),
    forbid(
      'shipped-packages',
      'The main build leaves packages outside, so what it imports must be in "dependencies".',
      { path: '^electron/', pathNot: tests },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/electron/' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(out|\\.build|test-results)/' },
    tsPreCompilationDeps: true, // an import of a type is still a dependency
    combinedDependencies: false,
    builtInModules: { add: ['node:sqlite', 'node:test'] },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mts', '.js', '.mjs', '.cjs', '.json', '.d.ts', '.css'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}

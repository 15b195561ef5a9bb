import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { findBreaches } from './check-boundaries.mjs'
import { projectRoot } from './packaged-node.mjs'

/** One forbidden import for each rule: [file, what it imports]. */
const planted: Record<string, readonly [from: string, specifier: string]> = {
  'no-cycles': ['shared/cycle-a.ts', './cycle-b.ts'],
  'no-dangling-import': ['shared/dangling.ts', './nowhere.ts'],
  'shared-is-below': ['shared/below.ts', '../electron/store/target.ts'],
  'shared-is-pure': ['shared/pure.ts', 'node:fs'],
  'shared-packages': ['shared/packages.ts', 'react'],
  'electron-not-renderer': ['electron/page.ts', '../renderer/store/target.ts'],
  'renderer-not-electron': ['renderer/host.ts', '../electron/store/target.ts'],
  'renderer-is-a-page': ['renderer/disk.ts', 'node:fs'],
  'only-the-shell-imports-electron': ['electron/rpc/window.ts', 'electron'],
  'store-imports': ['electron/store/up.ts', '../session/target.ts'],
  'session-imports': ['electron/session/up.ts', '../projection/target.ts'],
  'projection-imports': ['electron/projection/up.ts', '../agent/target.ts'],
  'model-imports': ['electron/model/up.ts', '../session/target.ts'],
  'storage-imports': ['electron/storage/up.ts', '../session/target.ts'],
  'query-imports': ['electron/query/up.ts', '../agent/target.ts'],
  'agent-imports': ['electron/agent/up.ts', '../subagent/target.ts'],
  'subagent-imports': ['electron/subagent/aside.ts', '../history/target.ts'],
  'store-is-handed-in': ['electron/projection/holds.ts', '../store/persistence.ts'],
  'tool-is-handed-functions': ['electron/tool/up.ts', '../agent/target.ts'],
  'history-reads-only': ['electron/history/up.ts', '../agent/target.ts'],
  'catalog-wakes-no-one': ['electron/subagent/catalog/list-children.ts', '../innocent.ts'],
  'top-stays-on-top': ['electron/tool/top.ts', '../rpc/target.ts'],
  'shell-on-top': ['electron/rpc/up.ts', '../shell/target.ts'],
  'features-apart': ['renderer/features/one/one.ts', '../two/target.ts'],
  'ui-knows-nothing': ['renderer/ui/product.ts', '../store/target.ts'],
  'product-without-tests': ['shared/tested.ts', './target.test.ts'],
  'shipped-packages': ['electron/undeclared.ts', 'fast-check'],
}

const tree = mkdtempSync(join(tmpdir(), 'espalier-boundaries-'))
afterAll(() => rmSync(tree, { recursive: true }))

const { modules, breaches } = plantAndCruise()
const found = new Set(breaches.map(({ rule, from }) => `${rule} ${from}`))

describe('the boundary check', () => {
  it.each(Object.entries(planted))('reports a breach of %s', (rule, [from]) => {
    expect(found).toContain(`${rule} ${from}`)
  })

  it('has a planted breach for every rule there is', () => {
    const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs')

    expect(Object.keys(planted)).toEqual(forbidden.map((rule: { name: string }) => rule.name))
  })

  it('sees through #shared imports', () => {
    expect(found).toContain('product-without-tests renderer/aliased.ts')
  })

  it('lets lawful imports pass', () => {
    expect(breaches.filter(({ from }) => from.includes('lawful'))).toEqual([])
  })

  it('counts the modules it saw', () => {
    expect(modules).toBeGreaterThan(Object.keys(planted).length)
  })
})

function plantAndCruise() {
  const imports = { '#shared/*': './shared/*' }
  const devDependencies = { 'fast-check': '*', electron: '*', react: '*' }
  write(
    'package.json',
    JSON.stringify({ type: 'module', imports, dependencies: { zod: '*' }, devDependencies }),
  )
  symlinkSync(join(projectRoot, 'node_modules'), join(tree, 'node_modules'))

  for (const [from, specifier] of Object.values(planted)) {
    write(from, `import * as it from '${specifier}'\nexport const planted = it\n`)
    if (specifier.endsWith('target.ts')) write(join(dirname(from), specifier), 'export const target = 1\n')
  }
  write('shared/target.test.ts', 'export const target = 1\n')
  write('renderer/aliased.ts', `export * from '#shared/target.test.ts'\n`)
  write(
    'shared/cycle-b.ts',
    `import type { planted } from '#shared/cycle-a.ts'\nexport type B = typeof planted\n`,
  )
  write('electron/store/persistence.ts', 'export type Persistence = 1\n')
  write(
    'electron/projection/lawful.ts',
    `import type { Persistence } from '../store/persistence.ts'\nexport type P = Persistence\n`,
  )
  write('electron/subagent/innocent.ts', `export * from './activations.ts'\n`)
  write('electron/subagent/activations.ts', 'export const woken = 1\n')
  write('shared/lawful.ts', `import { z } from 'zod'\nexport const lawful = z\n`)
  write('electron/main.ts', `export * from 'electron'\n`)
  write(
    'electron/lawful.ts',
    `import type { Arbitrary } from 'fast-check'\nexport type Lawful = Arbitrary<1>\n`,
  )
  write(
    'electron/session/lawful.ts',
    `export * from '../store/target.ts'\nexport * from '#shared/lawful.ts'\n`,
  )
  write(
    'renderer/features/one/lawful.ts',
    `export * from '#shared/lawful.ts'\nexport * from '../../ui/button.ts'\n`,
  )
  write('renderer/ui/button.ts', 'export const button = 1\n')

  return findBreaches(tree)
}

function write(path: string, text: string) {
  const absolute = join(tree, path)
  mkdirSync(dirname(absolute), { recursive: true })
  writeFileSync(absolute, text)
}

import { fileURLToPath } from 'node:url'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

export const TOY_PAGE = path('../../.build/toy/renderer')
export const TOY_PRELOAD = path('../../.build/toy/preload/preload.cjs')

/** Bundles the toy page and the real preload, for journeys of a shell without the product's page. */
export async function buildToy(): Promise<void> {
  const { build } = await import('vite') // not for those who only want the paths
  await build({
    configFile: false,
    logLevel: 'warn',
    root: path('./toy-app'),
    base: './',
    build: { outDir: TOY_PAGE, emptyOutDir: true, target: 'esnext' },
  })
  await build({
    configFile: false,
    logLevel: 'warn',
    root: path('../..'),
    build: {
      outDir: path('../../.build/toy/preload'),
      emptyOutDir: true,
      lib: { entry: path('../../electron/preload.ts'), formats: ['cjs'], fileName: () => 'preload.cjs' },
      rollupOptions: { external: ['electron'] },
    },
  })
}

import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import { dependencies } from './package.json' with { type: 'json' }

/** Built into the main process: hundreds of small files cost a start half of its time. The rest are native or found by path. */
const BUNDLED = Object.keys(dependencies).filter(name => name !== 'better-sqlite3')

export default defineConfig({
  main: {
    build: {
      externalizeDeps: { exclude: BUNDLED },
      sourcemap: true,
      rollupOptions: {
        input: {
          main: 'electron/main.ts',
          serve: 'electron/serve.ts',
          thread: 'electron/store/thread.ts',
          'file-thread': 'electron/store/backup/file-thread.ts',
          cli: 'electron/cli/main.ts',
        },
        // Flat, so that `new URL('./thread.js', import.meta.url)` holds from whichever chunk it is bundled into.
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  },
  preload: {
    build: {
      externalizeDeps: false, // a sandboxed preload may require only 'electron'
      sourcemap: false,
      rollupOptions: {
        input: { preload: 'electron/preload.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'renderer',
    plugins: [react()],
    worker: { format: 'es' }, // highlighting loads its grammars lazily
    build: { sourcemap: true, minify: true, rollupOptions: { input: 'renderer/index.html' } },
  },
})

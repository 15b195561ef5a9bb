import { join } from 'node:path'
import process from 'node:process'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

// Every store thread would strip the types of its sources by itself, by WebAssembly that Node 24 dies of now and then
// when threads come and go by the hundred (nodejs/node#64500). From this cache they come stripped and compiled.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '.build', 'compile-cache')

export default defineConfig({
  plugins: [react()],
  test: {
    include: ['{shared,electron,renderer,scripts}/**/*.test.{ts,tsx}'],
    environment: 'node', // a .tsx test opts into jsdom with `// @vitest-environment jsdom`
    css: { include: /\.module\.css$/, modules: { classNameStrategy: 'non-scoped' } }, // `.row` stays `row`
    pool: 'forks',
    execArgv: ['--no-memory-protection-keys'], // the store thread beside it: nodejs/node#64500
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    restoreMocks: true,
  },
})

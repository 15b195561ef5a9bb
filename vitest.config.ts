import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

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

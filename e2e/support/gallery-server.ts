import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { build, type InlineConfig, type PreviewServer, preview } from 'vite'

/** The policy of both shells: the gallery must live with it too. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self' blob: data:",
  "worker-src 'self' blob:",
  "connect-src 'self'",
].join('; ')

const root = fileURLToPath(new URL('../../renderer', import.meta.url))
const outDir = fileURLToPath(new URL('../../.build/gallery', import.meta.url))

/** Builds the gallery and serves it under the product's policy. @returns its address and how to end it. */
export async function serveGallery(): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const shared: InlineConfig = { root, configFile: false, logLevel: 'error', plugins: [react()] }
  const output = { outDir, emptyOutDir: true, rolldownOptions: { input: `${root}/gallery.html` } }
  await build({ ...shared, build: output, worker: { format: 'es' } })
  const server: PreviewServer = await preview({
    ...shared,
    build: { outDir },
    preview: { host: '127.0.0.1', port: 0, headers: { 'Content-Security-Policy': POLICY } },
  })
  const address = server.httpServer.address()
  if (address === null || typeof address === 'string') throw new Error('the gallery has no port')
  return { url: `http://127.0.0.1:${address.port}/gallery.html`, close: () => server.close() }
}

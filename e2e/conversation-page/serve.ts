import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { build, preview } from 'vite'

/** What the window's own pages are served with: whatever breaks it here would break there. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
].join('; ')

export interface ServedPage {
  readonly url: string
  close(): Promise<void>
}

export function serveConversationPage(): Promise<ServedPage> {
  return servePage(fileURLToPath(new URL('.', import.meta.url)))
}

/** Builds the page in a folder and serves it. @returns its address and what ends it. */
export async function servePage(root: string): Promise<ServedPage> {
  const outDir = await mkdtemp(join(tmpdir(), 'espalier-page-'))
  await build({
    configFile: false,
    root,
    plugins: [react()],
    worker: { format: 'es' },
    logLevel: 'error',
    build: {
      outDir,
      emptyOutDir: true,
      minify: false,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 5000,
    },
  })
  const server = await preview({
    configFile: false,
    root,
    logLevel: 'error',
    build: { outDir },
    preview: { host: '127.0.0.1', port: 0, headers: { 'Content-Security-Policy': CONTENT_SECURITY_POLICY } },
  })
  const url = server.resolvedUrls?.local[0]
  if (url === undefined) throw new Error('the page is served nowhere')
  return {
    url,
    close: async () => {
      await server.close()
      await rm(outDir, { recursive: true, force: true })
    },
  }
}

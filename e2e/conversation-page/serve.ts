import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { createServer } from 'vite'

/** Serves the page from its sources. @returns its address and what ends it. */
export async function serveConversationPage(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = await createServer({
    configFile: false,
    root: fileURLToPath(new URL('.', import.meta.url)),
    cacheDir: fileURLToPath(new URL('../../node_modules/.vite/conversation-page', import.meta.url)),
    plugins: [react()],
    worker: { format: 'es' },
    logLevel: 'error',
    server: { host: '127.0.0.1', port: 0, fs: { allow: [fileURLToPath(new URL('../..', import.meta.url))] } },
  })
  await server.listen()
  const url = server.resolvedUrls?.local[0]
  if (url === undefined) throw new Error('the page is served nowhere')
  return { url, close: () => server.close() }
}

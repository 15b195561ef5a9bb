import { readFile, realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { PAGE_HEADERS } from './content-security-policy.ts'

/** The built renderer, for whoever shows it: a browser over HTTP or a window through `app://`. */

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
}

export interface PageAnswer {
  readonly status: 200 | 404 | 405
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer<ArrayBuffer>
}

/** Answers for a method and a path as they came in the request (still encoded, query and fragment removed). */
export type PageFiles = (method: string, encodedPath: string) => Promise<PageAnswer>

export function createPageFiles(folder: string): PageFiles {
  return async (method, encodedPath) => {
    if (method !== 'GET' && method !== 'HEAD')
      return sentence(405, 'Only GET and HEAD.', { allow: 'GET, HEAD' })
    const path = await fileIn(folder, encodedPath)
    if (!path) return sentence(404, 'There is no such file.')
    const body = Buffer.from(await readFile(path))
    return {
      status: 200,
      headers: headersOf(path, body.byteLength),
      body: method === 'HEAD' ? empty() : body,
    }
  }
}

/** The file a path names; `null` unless it is an ordinary, known file that really lies inside the folder. */
async function fileIn(folder: string, encodedPath: string): Promise<string | null> {
  const segments = segmentsOf(encodedPath === '/' ? '/index.html' : encodedPath)
  if (!segments || !(extname(encodedPath) in TYPES || encodedPath === '/')) return null
  try {
    const root = await realpath(folder)
    const file = await realpath(join(root, ...segments)) // symbolic links are not followed out
    return file.startsWith(root + sep) && (await stat(file)).isFile() ? file : null
  } catch {
    return null // absent, or a name no file system takes
  }
}

/** A segment names one thing below: no climbing, no separators of any system, no streams, devices or hidden files. */
function segmentsOf(encodedPath: string): readonly string[] | null {
  const segments = encodedPath.split('/').slice(1)
  return encodedPath.startsWith('/') && segments.every(segment => /^[\w-][\w.@-]*$/.test(segment))
    ? segments
    : null
}

/** Built assets carry a hash of their content in their name: they never change. The rest is asked for again. */
function headersOf(path: string, length: number): Record<string, string> {
  const hashed = /[\\/]assets[\\/][\w.@-]*-[\w-]{8,}\.[\w.]+$/.test(path)
  return {
    ...PAGE_HEADERS,
    'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
    'content-length': String(length),
    'cache-control': hashed ? 'public, max-age=31536000, immutable' : 'no-store',
  }
}

function sentence(
  status: 404 | 405,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): PageAnswer {
  const plain = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  return { status, headers: { ...PAGE_HEADERS, ...plain, ...headers }, body: Buffer.from(`${text}\n`) }
}

function empty() {
  return Buffer.alloc(0)
}

import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname } from 'node:path'
import process from 'node:process'
import { WebSocketServer } from 'ws'
import { hasFsCode } from '../../fs-code.ts'
import type { PeerHost } from './peer.ts'
import { MAX_PAYLOAD_BYTES, serveSocket } from './web-socket.ts'

export interface LocalSocket {
  readonly path: string
  /** Ends every connection and removes the socket. Idempotent. */
  close(): Promise<void>
}

/**
 * Serves the contract on a local socket that only its owner can open (a named pipe on Windows). The caller holds
 * the data folder's lock, so a socket that lies there belongs to a dead workbench and is replaced.
 */
export async function listenLocally(host: PeerHost, path: string): Promise<LocalSocket> {
  const onDisk = process.platform !== 'win32'
  if (onDisk) prepare(path)
  const server = createServer((_request, response) => response.writeHead(426).end())
  const sockets = new WebSocketServer({ server, maxPayload: MAX_PAYLOAD_BYTES, perMessageDeflate: false })
  sockets.on('connection', socket => {
    socket.on('error', () => socket.terminate()) // a broken frame: only this connection ends
    serveSocket(host, socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    // Between bind and chmod only the mask protects the socket.
    const mask = onDisk ? process.umask(0o177) : undefined
    server.listen(path, () => {
      server.off('error', reject)
      resolve()
    })
    if (mask !== undefined) process.umask(mask)
  })
  if (onDisk) chmodSync(path, 0o600)

  let closing: Promise<void> | null = null
  const close = () =>
    new Promise<void>(resolve => {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      server.close(() => resolve())
      server.closeAllConnections()
      if (onDisk) rmSync(path, { force: true })
    })
  return {
    path,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

/** Removes a dead workbench's socket; anything else in its place is refused. */
function prepare(path: string) {
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { uid, mode } = lstatSync(folder)
  const mine = process.getuid === undefined || uid === process.getuid()
  if (!mine || (mode & 0o022) !== 0)
    throw new Error(`${folder} can be written by others, so no socket is opened there.`)
  try {
    if (!lstatSync(path).isSocket()) throw new Error(`${path} is in the way: it is no socket.`)
    rmSync(path)
  } catch (error) {
    if (!hasFsCode(error, 'ENOENT')) throw error
  }
}

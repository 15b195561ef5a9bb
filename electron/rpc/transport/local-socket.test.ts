import { chmodSync, existsSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createToyWorkbench, type ToyWorkbench } from '../../../e2e/support/toy-workbench.ts'
import { silentLog } from '../../log.ts'
import { readHost, writeHost } from '../../store/host-file.ts'
import { connectToHost } from './local-client.ts'
import { type LocalSocket, listenLocally } from './local-socket.ts'
import { createPeerHost } from './peer.ts'
import { socketPathOf } from './socket-path.ts'

let folder: string
let toy: ToyWorkbench
const open: LocalSocket[] = []

async function listen(path = socketPathOf(folder)) {
  const socket = await listenLocally(createPeerHost(toy.router, silentLog), path)
  open.push(socket)
  return socket
}

function announce(socket: string) {
  writeHost(folder, { pid: process.pid, kind: 'browser', address: null, socket })
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier local #1%20:'))
  toy = createToyWorkbench()
})
afterEach(async () => {
  for (const socket of open.splice(0)) await socket.close()
})

describe('the local socket', () => {
  it('serves the contract to a client that knows only the data folder, whatever characters its path holds', async () => {
    announce((await listen()).path)

    const host = await connectToHost(folder)

    expect(await host?.client.diagnostics.host()).toMatchObject({ version: '0.0.0-toy' })
    expect(host?.kind).toBe('browser')
    host?.close()
  })

  it('can be opened by its owner alone', async () => {
    const { path } = await listen()

    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('gives each connection an id of its own and aborts its handlers when it goes', async () => {
    announce((await listen()).path)
    const [one, two] = [await connectToHost(folder), await connectToHost(folder)]
    await one!.client.diagnostics.host()
    await two!.client.diagnostics.host()
    const stream = await one!.client.stream.subscribe({ subscription: 's', watch: { open: [], listed: [] } })
    await stream.next()

    one!.close()

    await vi.waitFor(() => expect(toy.streams).toEqual({ open: 0, aborted: 1 }))
    expect(new Set(toy.connections).size).toBe(2)
    expect(await two!.client.diagnostics.host()).toMatchObject({ version: '0.0.0-toy' })
    two!.close()
  })

  it('ends open calls and refuses later ones when the workbench goes', async () => {
    const socket = await listen()
    announce(socket.path)
    const host = await connectToHost(folder)
    const stream = await host!.client.stream.subscribe({ subscription: 's', watch: { open: [], listed: [] } })
    await stream.next()
    const pending = stream.next()

    await Promise.all([socket.close(), expect(pending).rejects.toThrow()])

    await expect(host!.client.diagnostics.host()).rejects.toThrow('The workbench has ended.')
  })

  it('is found by no one without a host file, with a broken one, and with one whose workbench is dead', async () => {
    expect(await connectToHost(folder)).toBeNull()

    writeFileSync(join(folder, 'host.json'), '{"pid":')
    expect(await connectToHost(folder)).toBeNull()

    const socket = await listen()
    announce(socket.path)
    await socket.close()
    expect(readHost(folder)).not.toBeNull()
    expect(await connectToHost(folder)).toBeNull()
  })

  it('replaces the socket a dead workbench left behind', async () => {
    const path = socketPathOf(folder)
    const dead = createServer()
    await new Promise<void>(done => dead.listen(path, done))
    // Closing would remove it; a killed process does not.
    const { linkSync, renameSync } = await import('node:fs')
    linkSync(path, `${path}.kept`)
    await new Promise(done => dead.close(done))
    renameSync(`${path}.kept`, path)

    announce((await listen()).path)

    const host = await connectToHost(folder)
    expect(await host?.client.diagnostics.host()).toMatchObject({ version: '0.0.0-toy' })
    host?.close()
  })

  it('refuses to replace anything but a socket, and a folder others can write to', async () => {
    const path = socketPathOf(folder)
    writeFileSync(path, 'precious')
    await expect(listen()).rejects.toThrow('it is no socket')
    expect(existsSync(path)).toBe(true)

    const shared = join(folder, 'shared')
    mkdirSync(shared)
    chmodSync(shared, 0o777)
    await expect(listen(join(shared, 'host.sock'))).rejects.toThrow('can be written by others')
  })

  it('moves to the runtime folder where the path would be too long, and to a pipe on Windows', () => {
    const deep = join(tmpdir(), 'x'.repeat(100))

    expect(socketPathOf(deep, { env: { XDG_RUNTIME_DIR: '/run/user/7' }, platform: 'linux' })).toMatch(
      /^\/run\/user\/7\/espalier-\w+\/[0-9a-f]{24}\.sock$/,
    )
    expect(socketPathOf(deep, { platform: 'win32' })).toMatch(/^\\\\\.\\pipe\\espalier-[0-9a-f]{24}$/)
    expect(socketPathOf('/short', { platform: 'linux' })).toBe('/short/host.sock')
  })
})

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { connectToHost } from '../rpc/transport/local-client.ts'
import { CONTENT_SECURITY_POLICY } from './content-security-policy.ts'

const entry = fileURLToPath(new URL('../../e2e/support/toy-serve.ts', import.meta.url))
const READY = /^Espalier is ready: http:\/\/127\.0\.0\.1:(\d+)\/#token=([\w-]{43})\n$/

interface Running {
  readonly child: ChildProcess
  readonly output: { out: string; err: string }
  readonly exit: Promise<number | null>
}

const children: ChildProcess[] = []
let home: string

function run(args: readonly string[] = [], env: Record<string, string> = {}): Running {
  const all = ['--no-warnings', entry, '--no-open', '--home', home, ...args]
  const child = spawn(process.execPath, all, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  const output = { out: '', err: '' }
  child.stdout?.on('data', data => {
    output.out += data
  })
  child.stderr?.on('data', data => {
    output.err += data
  })
  return { child, output, exit: new Promise(resolve => child.on('close', resolve)) }
}

async function start(args: readonly string[] = [], env: Record<string, string> = {}) {
  const running = run(args, env)
  await Promise.race([
    new Promise(resolve => running.child.stdout?.on('data', resolve)),
    running.exit.then(code => {
      throw new Error(`left with ${code}: ${running.output.err}`)
    }),
  ])
  const [, port = '', token = ''] = READY.exec(running.output.out) ?? []
  return { ...running, port: Number(port), token, address: `http://127.0.0.1:${port}` }
}

/** Not `fetch`: it would resolve `..` and forbid the Host header. */
function ask(
  port: number,
  path: string,
  options: { method?: string; headers?: Record<string, string> } = {},
) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>(
    (resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, ...options }, response => {
        let body = ''
        response.on('data', data => {
          body += data
        })
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        )
      })
      asked.on('error', reject).end()
    },
  )
}

interface Knock {
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly first?: string
}

/** What becomes of a socket: refused with an HTTP status, closed with a code, or welcomed. */
function knock(port: number, { path = '/rpc', headers = {}, first }: Knock) {
  return new Promise<{ status?: number; code?: number; reason?: string; welcome?: string }>(resolve => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, {
      headers: { origin: `http://127.0.0.1:${port}`, ...headers },
    })
    socket.on('unexpected-response', (_request, response) => resolve({ status: response.statusCode ?? 0 }))
    socket.on('error', () => {})
    socket.on('open', () => first === undefined || socket.send(first))
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
    socket.on('message', data => {
      resolve({ welcome: data.toString() })
      socket.close()
    })
  })
}

const shows = (token: unknown) => JSON.stringify({ espalier: 1, token })

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'espalier-serve-'))
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

describe('the browser shell', () => {
  it('prints exactly one line when it can be used, and listens on 127.0.0.1 alone', async () => {
    const { output, port, token } = await start()

    expect(output.out).toMatch(READY)
    expect(await knock(port, { first: shows(token) })).toEqual({
      welcome: JSON.stringify({ espalier: 1, ready: true, token }),
    })
    const host = JSON.parse(readFileSync(join(home, 'host.json'), 'utf8'))
    expect(host).toMatchObject({ kind: 'browser', address: `http://127.0.0.1:${port}/#token=${token}` })
    expect(statSync(join(home, 'host.json')).mode & 0o777).toBe(0o600)
    const others = readFileSync('/proc/net/tcp', 'utf8').split('\n')
    const hex = port.toString(16).toUpperCase().padStart(4, '0')
    const listening = others.map(line => line.trim().split(/\s+/)).filter(([, , , state]) => state === '0A')
    expect(listening.map(([, local]) => local).filter(local => local?.endsWith(`:${hex}`))).toEqual([
      `0100007F:${hex}`,
    ])
  })

  it('prints JSON when asked to', async () => {
    const { output } = await start(['--json'])

    expect(JSON.parse(output.out)).toEqual({
      address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/),
    })
  })

  it('serves the page with a strict policy, fresh, and its hashed files for ever', async () => {
    const { port } = await start()

    const page = await ask(port, '/')
    expect(page.status).toBe(200)
    expect(page.body).toContain('<h1>Toy</h1>')
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    const script = await ask(port, '/assets/toy-0a1b2c3d.js?x')
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(await ask(port, '/', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
  })

  it('answers nothing but GET and HEAD', async () => {
    const { port } = await start()

    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      expect(await ask(port, '/', { method })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
    }
  })

  it('never leaves the folder of the page', async () => {
    const { port } = await start()
    const paths = [
      '/../toy-serve.ts',
      '/..%2ftoy-serve.ts',
      '/%2e%2e/toy-serve.ts',
      '/assets/../../toy-serve.ts',
      '/assets/..\\..\\toy-serve.ts',
      '//etc/passwd',
      '/./index.html',
      '/index.html%00.js',
      '/assets/',
      '/assets',
      '/.hidden.js',
      `/${'a'.repeat(5000)}.js`,
      'http://127.0.0.1/index.html',
      '*',
    ]

    for (const path of paths) expect([path, (await ask(port, path)).status]).toEqual([path, 404])
  })

  it('answers no one who calls it by another name', async () => {
    const { port } = await start()

    expect((await ask(port, '/', { headers: { host: `localhost:${port}` } })).status).toBe(200)
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      `127.0.0.1:${port}.evil.example`,
    ]) {
      expect([host, (await ask(port, '/', { headers: { host } })).status]).toEqual([host, 421])
    }
  })

  it('opens a socket only for a page of its own', async () => {
    const { port, token } = await start()
    const first = shows(token)

    expect(await knock(port, { first, path: '/other' })).toEqual({ status: 404 })
    for (const origin of [
      'http://evil.example',
      'null',
      `https://127.0.0.1:${port}`,
      `http://localhost:${port}`,
    ]) {
      expect([origin, await knock(port, { first, headers: { origin } })]).toEqual([origin, { status: 403 }])
    }
    const rebound = { host: `evil.example:${port}`, origin: `http://evil.example:${port}` }
    expect(await knock(port, { first, headers: rebound })).toEqual({ status: 403 })
    const byName = { host: `localhost:${port}`, origin: `http://localhost:${port}` }
    expect(await knock(port, { first, headers: byName })).toHaveProperty('welcome')
  })

  it('closes a socket without the right token, with a reason for people', async () => {
    const { port, token } = await start()
    const earlier = { code: 4401, reason: expect.stringContaining('earlier run') }
    const stranger = { code: 4401, reason: expect.stringContaining('did not say who it is') }

    expect(await knock(port, { first: shows('x'.repeat(43)) })).toEqual(earlier)
    expect(await knock(port, { first: shows(token.slice(1)) })).toEqual(earlier)
    for (const first of [shows(''), shows(1), token, '{}', 'x'.repeat(2_000)]) {
      expect(await knock(port, { first })).toEqual(stranger)
    }
  })

  it('writes neither the token nor an address with it into its log', async () => {
    const { port, token, child, exit } = await start()
    await knock(port, { first: shows(token) })
    child.kill('SIGTERM')
    await exit

    const logs = readdirSync(join(home, 'logs')).map(name => readFileSync(join(home, 'logs', name), 'utf8'))
    expect(logs.join()).toContain('Ready on')
    expect(logs.join()).not.toContain(token)
  })

  it('serves the command line through the data folder', async () => {
    await start()

    const host = await connectToHost(home)

    expect(await host?.client.diagnostics.host()).toMatchObject({ dataFolder: home })
    host?.close()
  })

  it('leaves the folder to the first instance and points to it', async () => {
    const first = await start()
    const before = readdirSync(home, { recursive: true }).sort()

    const second = run()

    expect(await second.exit).toBe(1)
    expect(second.output.out).toBe('')
    expect(second.output.err).toContain(`${first.address}/#token=${first.token}`)
    expect(second.output.err.trim().split('\n')).toHaveLength(1)
    expect(readdirSync(home, { recursive: true }).sort()).toEqual(before)
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('flushes and leaves with 0 on %s', async signal => {
    const { child, exit, output } = await start([], { TOY_FLUSH_MS: '100' })

    child.kill(signal)

    expect(await exit).toBe(0)
    expect(output.err).toBe('flushed\n')
    for (const name of ['host.json', 'host.sock']) expect(existsSync(join(home, name))).toBe(false)
  })

  it('leaves at once on a second signal', async () => {
    const { child, exit, output } = await start([], { TOY_FLUSH_MS: '60000' })
    child.kill('SIGINT')
    await new Promise(resolve => setTimeout(resolve, 100))

    child.kill('SIGINT')

    expect(await exit).toBe(130)
    expect(output.err).toBe('')
  })

  it('says so in one sentence when the port is taken, and gives the folder back', async () => {
    const other = createServer()
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
    const address = other.address()
    const port = typeof address === 'object' ? address?.port : 0

    const { exit, output } = run(['--port', String(port)])

    expect(await exit).toBe(1)
    expect(output.err).toContain(`Espalier did not start: port ${port} is in use`)
    expect(output.out).toBe('')
    other.close()
    await start()
  })

  it('says what is wrong with its arguments and leaves with 2', async () => {
    for (const args of [['--port', '70000'], ['--port', '-1'], ['--nonsense']]) {
      const { exit, output } = run(args)
      expect(await exit).toBe(2)
      expect(output.err).toMatch(/^error: .+\n/)
    }
  })

  it('says that the page is not built instead of serving nothing', async () => {
    const { exit, output } = run([], { TOY_PAGE: home })

    expect(await exit).toBe(1)
    expect(output.err).toBe('The page of Espalier is not built yet: run "npm run build" first.\n')
  })
})

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { resolveDataFolder } from '../data-folder.ts'
import { createFileLog } from '../file-log.ts'
import { createFileSecrets } from '../file-secrets.ts'
import { hasFsCode } from '../fs-code.ts'
import { openHostSocket } from '../host-socket.ts'
import { createKnownSecrets } from '../known-secrets.ts'
import { silentLog } from '../log.ts'
import type { HostedWorkbench, WorkbenchRequest } from '../open-workbench.ts'
import { createPeerHost } from '../rpc/transport/peer.ts'
import { startProblem } from '../start-problem.ts'
import type { Host } from '../store/host-file.ts'
import { type Lock, takeLock } from '../store/lock.ts'
import { parseShellArguments, type ShellArguments } from './arguments.ts'
import { endOnSignal } from './end-on-signal.ts'
import { openBrowser } from './open-browser.ts'
import { createTokenKeeper } from './token.ts'
import { listenForBrowsers, type WebHost } from './web-host.ts'

/** What the browser shell is made of, besides itself. */
export interface BrowserShellParts {
  /** The built renderer. */
  readonly pageFolder: string
  openWorkbench(request: WorkbenchRequest): Promise<HostedWorkbench>
}

/** Runs until a signal ends it. Sets the exit code; says everything in sentences, never a stack. */
export async function runBrowserShell(args: readonly string[], parts: BrowserShellParts): Promise<void> {
  const parsed = parseShellArguments(args)
  if (parsed.kind === 'leave') return leave(parsed.exitCode, parsed.text)
  const dataFolder = resolveDataFolder({ home: parsed.arguments.home })
  if (!existsSync(join(parts.pageFolder, 'index.html'))) {
    return leave(1, 'The page of Espalier is not built yet: run "npm run build" first.')
  }
  try {
    const result = takeLock(dataFolder)
    if (result.kind === 'held') return leave(1, alreadyRunning(dataFolder, result.host))
    await serve(parsed.arguments, dataFolder, parts, result.kind === 'taken' ? result.lock : null)
  } catch (error) {
    leave(1, `Espalier did not start: ${reasonOf(error, parsed.arguments, dataFolder)}`)
  }
}

/** Without a lock nothing can be written to the data folder: not its log either, and the command line reads it itself. */
async function serve(
  { open, port, workspace, json }: ShellArguments,
  dataFolder: string,
  parts: BrowserShellParts,
  lock: Lock | null,
) {
  const viewOnly = lock === null
  const log = viewOnly ? silentLog : createFileLog(dataFolder, 'browser-shell', () => known.values())
  const tokens = createTokenKeeper()
  const known = createKnownSecrets(process.env)
  known.add(() => [tokens.token])
  const opened: { close(): Promise<void> | void }[] = [{ close: () => lock?.release() }]
  const close = async () => {
    for (const part of opened.splice(0).reverse()) await part.close()
  }

  try {
    const secrets = createFileSecrets({ path: join(dataFolder, 'secrets.json'), log })
    known.add(secrets.known)
    const workbench = await parts.openWorkbench({
      shell: 'browser',
      dataFolder,
      viewOnly,
      workspace,
      secrets: { ...secrets, known: known.values },
      log,
    })
    opened.push(workbench)
    const peers = createPeerHost(workbench.router, log)
    workbench.onReplaced(router => peers.serve(router, 'The sessions were replaced by a backup.'))
    const socket = await openHostSocket({ peers, dataFolder, viewOnly, log })
    opened.push(socket)
    const web = await listenForBrowsers({ peers, pageFolder: parts.pageFolder, port, tokens, log })
    opened.push(web)
    const address = addressOf(web, tokens.token)
    socket.announce('browser', address)

    endOnSignal(close, log)
    log.info(`Ready on ${web.address}`)
    process.stdout.on('error', () => {}) // whoever read the ready line may leave; the workbench stays
    process.stdout.write(json ? `${JSON.stringify({ address })}\n` : `Espalier is ready: ${address}\n`)
    if (open) openBrowser(addressOf(web, tokens.issueTicket()))
  } catch (error) {
    log.error('The browser shell did not start', error)
    await close()
    throw error
  }
}

/** In the fragment: it is never sent in a request. */
function addressOf(web: WebHost, token: string) {
  return `${web.address}#token=${token}`
}

function alreadyRunning(dataFolder: string, host: Host | null): string {
  if (!host) return `Espalier is already running with the data folder ${dataFolder}.`
  if (host.kind === 'desktop') return `Espalier is already running in its own window (process ${host.pid}).`
  return `Espalier is already running (process ${host.pid}): ${host.address}`
}

function reasonOf(error: unknown, { port }: ShellArguments, dataFolder: string): string {
  if (hasFsCode(error, 'EADDRINUSE'))
    return `port ${port} is in use; choose another with --port, or leave it out.`
  if (hasFsCode(error, 'EACCES') && port > 0 && port < 1024) return `port ${port} is reserved for the system.`
  return startProblem(error, dataFolder)
}

function leave(exitCode: number, text: string) {
  const stream = exitCode === 0 ? process.stdout : process.stderr
  stream.write(`${text}\n`)
  process.exitCode = exitCode
}

import './no-eval.ts'

import { type ClientLink, createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import type { Contract } from '#shared/contract.ts'
import type { WindowApi } from '#shared/window-api.ts'
import { type WindowCommand, windowCommandSchema } from '#shared/window-command.ts'
import { type ConnectionState, keepOpen } from './keep-open.ts'
import { DisconnectedError, type Line, type OpenLine } from './line.ts'
import { openPortLine } from './port-line.ts'
import { openSocketLine } from './socket-line.ts'
import { takeToken } from './token.ts'

declare global {
  interface Window {
    /** Only in the desktop shell. */
    readonly espalier?: WindowApi
  }
}

export type WorkbenchClient = ContractRouterClient<Contract>
type NoContext = Record<never, never>

/** The one way from this window to the workbench. */
export interface Connection {
  /** For the life of the page, over all reconnections. While not connected, calls fail with `DisconnectedError` at once. */
  readonly client: WorkbenchClient
  state(): ConnectionState
  /** Told about every change. The return value unsubscribes. */
  onState(listener: (state: ConnectionState) => void): () => void
  /** Does not wait for the next attempt. */
  retry(): void
  /** Commands of the menu and deep links. In the browser shell there are none. */
  onCommand(listener: (command: WindowCommand) => void): () => void
  /** The system's dialog, `null` where there is none: `workspaces.browse` is for that. */
  readonly chooseFolder: (() => Promise<string | null>) | null
  close(): void
}

export interface ConnectOptions {
  readonly api?: WindowApi | undefined
  readonly open?: OpenLine
  readonly firstDelayMs?: number
  readonly longestDelayMs?: number
}

/** Resolves when the first attempt has succeeded or failed: `state` says which. Never rejects. */
export async function connect(options: ConnectOptions = {}): Promise<Connection> {
  const { api = window.espalier, firstDelayMs = 250, longestDelayMs = 8_000 } = options
  const open: OpenLine = options.open ?? (api ? signal => openPortLine(api, signal) : openSocketLine)
  const listeners = new Set<(state: ConnectionState) => void>()
  const link = createFollowingLink()
  let state: ConnectionState = { status: 'connecting' }

  const settled = Promise.withResolvers<void>()
  const line = keepOpen({
    open,
    firstDelayMs,
    longestDelayMs,
    onLine: link.follow,
    onState(next) {
      state = next
      for (const listener of [...listeners]) listener(next)
      settled.resolve()
    },
  })
  const stopWatching = watchWindow(line.retry, api === undefined)
  await settled.promise

  return {
    client: createORPCClient(link),
    state: () => state,
    onState(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    retry: line.retry,
    onCommand(listener) {
      if (!api) return () => {}
      return api.onCommand(command => {
        const parsed = windowCommandSchema.safeParse(command)
        if (parsed.success) listener(parsed.data)
      })
    },
    chooseFolder: api ? () => api.chooseFolder() : null,
    close() {
      stopWatching()
      line.close()
    },
  }
}

/** oRPC's link over the line of the moment. A call whose line ends fails as disconnected, not as cancelled. */
function createFollowingLink(): ClientLink<NoContext> & { follow(line: Line): void } {
  let current: RPCLink<NoContext> | null = null
  return {
    follow(line) {
      const link = new RPCLink<NoContext>({ port: line.port })
      current = link
      const leave = () => {
        if (current === link) current = null
      }
      line.ended.then(leave, leave)
    },
    async call(path, input, options) {
      const link = current
      if (!link) throw new DisconnectedError()
      try {
        return await link.call(path, input, options)
      } catch (error) {
        await Promise.resolve() // the end of the line and the failure of its calls come in either order
        if (current === link || options.signal?.aborted) throw error
        throw new DisconnectedError({ cause: error })
      }
    },
  }
}

function watchWindow(retry: () => void, hasToken: boolean): () => void {
  // Another address pasted into this tab changes the fragment alone and loads nothing.
  const onHash = () => {
    if (hasToken) takeToken()
    retry()
  }
  window.addEventListener('hashchange', onHash)
  window.addEventListener('online', retry)
  return () => {
    window.removeEventListener('hashchange', onHash)
    window.removeEventListener('online', retry)
  }
}

import type { Page } from '@playwright/test'
import type { Screen } from './stand-in/screen.ts'
import type { ShellLink } from './stand-in/shell-link.ts'

/** One run of Espalier with a window. */
export interface Run {
  readonly page: Page
  /** Of the main process. */
  readonly pid: number
  /** Everything the main process wrote so far. */
  output(): string
  /** Resolves when the main process has ended. */
  readonly exit: Promise<number | null>
  kill(signal: NodeJS.Signals): Promise<void>
  /** Ends it as a person would, and the browser with it. */
  close(): Promise<void>
  /** What the page's policy refused so far. */
  readonly violations: readonly string[]
  /** Only on the stand-in: what the shell did, and a way to act as the system. */
  readonly standIn?: { readonly screen: Screen; readonly link: ShellLink }
}

export interface RunOptions {
  readonly home: string
  readonly workspace: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly args: readonly string[]
  /** The browser's own folder: kept over restarts, as a window's would be. */
  readonly profile: string
}

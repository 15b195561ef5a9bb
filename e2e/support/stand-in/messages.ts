/**
 * What the stand-in for Electron (in the process that runs main.ts) and the screen (Chromium, in the process of the
 * test) tell each other over the channel between the two processes.
 */

export type ToScreen =
  | { readonly kind: 'open'; readonly window: number; readonly preload: string | null }
  | { readonly kind: 'load'; readonly window: number; readonly url: string }
  | { readonly kind: 'reload' | 'close' | 'focus' | 'crash'; readonly window: number }
  | {
      readonly kind: 'send'
      readonly window: number
      readonly channel: string
      readonly args: readonly unknown[]
    }
  | { readonly kind: 'port'; readonly window: number; readonly port: number; readonly data: unknown }
  | { readonly kind: 'port-closed'; readonly window: number; readonly port: number }
  | { readonly kind: 'answer'; readonly call: number; readonly value?: unknown; readonly error?: string }
  /** What a person or a test may want to know: dialogs shown, links handed to the system, menus set. */
  | { readonly kind: 'seen'; readonly what: string; readonly value: unknown }

export type ToShell =
  | { readonly kind: 'ready' }
  | { readonly kind: 'loaded' | 'closed' | 'crashed' | 'focused' | 'document'; readonly window: number }
  | {
      readonly kind: 'ipc'
      readonly window: number
      readonly frame: FrameFacts
      readonly channel: string
      readonly args: readonly unknown[]
      readonly ports: readonly number[]
    }
  | { readonly kind: 'port'; readonly window: number; readonly port: number; readonly data: unknown }
  | { readonly kind: 'port-closed'; readonly window: number; readonly port: number }
  | ({ readonly call: number } & ShellCall)
  /** From the test. */
  | { readonly kind: 'menu'; readonly id: string }
  | { readonly kind: 'next-dialog'; readonly value: unknown }
  | { readonly kind: 'emit'; readonly event: string; readonly args: readonly unknown[] }

export type ShellCall =
  | {
      readonly kind: 'invoke'
      readonly window: number
      readonly frame: FrameFacts
      readonly channel: string
      readonly args: readonly unknown[]
    }
  | { readonly kind: 'request'; readonly url: string; readonly method: string }
  | {
      readonly kind: 'navigate'
      readonly window: number
      readonly url: string
      readonly isMainFrame: boolean
    }
  | { readonly kind: 'open-window'; readonly window: number; readonly url: string }

export interface FrameFacts {
  readonly url: string
  readonly isMainFrame: boolean
}

export interface ServedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly base64: string
}

/** Chromium cannot open `app://`: the screen shows it under this secure origin and translates both ways. */
export const SHOWN_ORIGIN = 'https://espalier.test'
const REAL_ORIGIN = 'app://espalier'

export function shownUrl(url: string): string {
  return url.startsWith(`${REAL_ORIGIN}/`) ? SHOWN_ORIGIN + url.slice(REAL_ORIGIN.length) : url
}

export function realUrl(url: string): string {
  return url.startsWith(`${SHOWN_ORIGIN}/`) ? REAL_ORIGIN + url.slice(SHOWN_ORIGIN.length) : url
}

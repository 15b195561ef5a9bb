import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { SessionId } from '#shared/session/ids.ts'
import { findDeepLink } from './deep-link.ts'

export interface DesktopArguments {
  readonly home: string | undefined
  readonly workspace: string | null
  /** The session a deep link asks for. */
  readonly open: SessionId | null
}

/** Lenient: Chromium's own switches are among them, and a link must not be able to become an option. */
export function parseDesktopArguments(args: readonly string[], cwd: string): DesktopArguments {
  const { values } = parseArgs({
    args: args.filter(arg => !arg.startsWith('espalier:')),
    strict: false,
    allowPositionals: true,
    options: { home: { type: 'string' }, workspace: { type: 'string' } },
  })
  return {
    home: textOf(values['home']),
    workspace:
      textOf(values['workspace']) === undefined ? null : resolve(cwd, textOf(values['workspace']) ?? ''),
    open: findDeepLink(args),
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

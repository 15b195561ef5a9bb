import { resolve } from 'node:path'
import { Command, CommanderError, InvalidArgumentError } from 'commander'

export interface ShellArguments {
  /** Whether a browser may be opened. */
  readonly open: boolean
  readonly port: number
  readonly home: string | undefined
  readonly workspace: string | null
  readonly json: boolean
}

export type ParsedArguments =
  | { readonly kind: 'run'; readonly arguments: ShellArguments }
  /** Help was asked for, or the usage was wrong: say `text` and leave with `exitCode`. */
  | { readonly kind: 'leave'; readonly exitCode: 0 | 2; readonly text: string }

/** What both shells are started with. `--browser` is for `npm start`, which chooses the shell. */
export function parseShellArguments(args: readonly string[]): ParsedArguments {
  let text = ''
  const command = new Command('espalier serve')
    .description('Serves Espalier to a browser on this machine.')
    .option('--no-open', 'do not open a browser')
    .option('--port <number>', 'the port to listen on (default: any free one)', parsePort, 0)
    .option('--home <folder>', 'the data folder')
    .option('--workspace <folder>', 'the folder to work in')
    .option('--browser', 'serve a browser (this is what it does)')
    .option('--json', 'print one JSON value when ready')
    .exitOverride()
    .configureOutput({ writeOut: part => collect(part), writeErr: part => collect(part) })
  const collect = (part: string) => {
    text += part
  }
  try {
    command.parse(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { kind: 'leave', exitCode: error.exitCode === 0 ? 0 : 2, text: text.trim() }
  }
  const options = command.opts<{
    open: boolean
    port: number
    home?: string
    workspace?: string
    json?: true
  }>()
  return {
    kind: 'run',
    arguments: {
      open: options.open,
      port: options.port,
      home: options.home,
      workspace: options.workspace === undefined ? null : resolve(options.workspace),
      json: options.json ?? false,
    },
  }
}

function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('A port is a number from 0 to 65535.')
  return port
}

import type { Command } from 'commander'
import { serveBrowsers } from '../web/serve-browsers.ts'

/** The browser shell reads its own arguments: `npm start` hands it the same ones. */
export function addServe(program: Command): void {
  program
    .command('serve')
    .description('serve Espalier to a browser on this machine; `serve --help` lists its options')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action((_options: unknown, { args }: Command) => serveBrowsers(args))
}

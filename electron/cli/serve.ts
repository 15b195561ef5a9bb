import type { Command } from 'commander'

/** The browser shell reads its own arguments: `npm start` hands it the same ones. */
export function addServe(program: Command): void {
  program
    .command('serve')
    .description('serve Espalier to a browser on this machine; `serve --help` lists its options')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (_options: unknown, { args }: Command) => {
      const { serveBrowsers } = await import('../web/serve-browsers.ts')
      await serveBrowsers(args)
    })
}

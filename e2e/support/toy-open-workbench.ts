import type { HostedWorkbench, WorkbenchRequest } from '../../electron/open-workbench.ts'
import { createToyWorkbench } from './toy-workbench.ts'

/** Takes the place of `electron/open-workbench.ts` where only a shell is tried. `ESPALIER_TOY` names what runs. */
export async function openWorkbench({
  dataFolder,
  shell,
  secrets,
}: WorkbenchRequest): Promise<HostedWorkbench> {
  await secrets.set('toy', 'sk-toy-0123456789')
  const running = (process.env['ESPALIER_TOY'] ?? '').split(',').filter(name => name !== '' && name !== '1')
  return {
    router: createToyWorkbench({ dataFolder, shell }).router,
    onReplaced: () => {},
    running: async () => running,
    close: async () => {
      process.stderr.write('flushed\n')
    },
  }
}

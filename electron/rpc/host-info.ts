import process from 'node:process'
import type { HostInfo } from '#shared/contract.ts'
import { version } from '../version.ts'
import type { Workbench } from '../workbench.ts'

export async function hostInfo(workbench: Workbench): Promise<HostInfo> {
  const { options, activations, settings, homeFolder, sample } = workbench
  const running = activations.list().filter(({ agent }) => agent.isRunning).length
  return {
    version,
    shell: options.shell,
    platform: process.platform,
    dataFolder: options.dataFolder,
    homeFolder,
    workspace: options.workspace ?? settings.get().workspaces[0] ?? null,
    running,
    runningLimit: settings.get().limits.runningPerRoot,
    firstRun: settings.get().workspaces.length === 0 && options.workspace === null,
    sampleRootId: await sample.rootId(),
  }
}

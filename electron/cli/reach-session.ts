import type { SessionId } from '#shared/session/ids.ts'
import type { WorkbenchClient } from '../rpc/transport/local-client.ts'
import type { CommonOptions } from './command-options.ts'
import { CommandFailure, hasWireCode } from './failure.ts'
import { hasData, reachWorkbench } from './reach-workbench.ts'

/** `reachWorkbench` for a question about one session. @throws CommandFailure when there is no such session. */
export async function reachSession<T>(
  options: CommonOptions,
  id: SessionId,
  work: (client: WorkbenchClient) => Promise<T>,
): Promise<T> {
  const unknown = () => new CommandFailure(`There is no session ${id}.`)
  if (!hasData(options)) throw unknown()
  try {
    return await reachWorkbench(options, work)
  } catch (error) {
    throw hasWireCode(error, 'SESSION_NOT_FOUND') ? unknown() : error
  }
}

import type { Restored } from '#shared/contract/backups.ts'
import { WorkbenchError } from '#shared/errors.ts'
import type { RestoreRequest, Workbench } from '../workbench.ts'

/** Through whoever can open the workbench anew. */
export async function restoreBackup(
  { options, store }: Workbench,
  wanted: RestoreRequest,
): Promise<Restored> {
  if (store.viewing !== null) {
    throw new WorkbenchError(
      'STORE_READ_ONLY',
      'Nothing can be written to the data folder, so nothing is restored.',
    )
  }
  if (options.restore === undefined) {
    throw new WorkbenchError('BAD_REQUEST', 'A backup is restored by "espalier restore" or in the workbench.')
  }
  return options.restore(wanted)
}

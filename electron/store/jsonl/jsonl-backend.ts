import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { WorkbenchError } from '#shared/errors.ts'
import type { Unit } from '#shared/projection/unit.ts'
import type { Backend, BackendOptions } from '../backend.ts'
import { createCatchUp } from '../catch-up.ts'
import { CheckpointReads, createCheckpointWrites } from '../checkpoint-reads.ts'
import { createColdFolds } from '../cold-fold.ts'
import { createLogReads } from '../log-reads.ts'
import { withPauses } from '../pausing-logs.ts'
import { createSessionLists } from '../session-lists.ts'
import type { Methods } from '../sqlite/methods.ts'
import { createStrictLoad } from '../strict-load.ts'
import { ENCODINGS } from './encoding.ts'
import { createFolderCheck } from './folder-check.ts'
import { createFolderCheckpoints } from './folder-checkpoints.ts'
import { FolderLogs } from './folder-logs.ts'
import { FolderOutputs } from './folder-outputs.ts'
import { createFolderRepair } from './folder-repair.ts'
import { createFolderTrash } from './folder-trash.ts'
import { createFolderUsage } from './folder-usage.ts'
import { createFolderWrites } from './folder-writes.ts'
import { FORMAT_VERSION, type Format, readFormat, sessionsFolder } from './format.ts'
import { GroupCommit } from './group-commit.ts'
import { createListedFolders } from './listed-folders.ts'
import { createFolderLogSource } from './log-source.ts'
import { Marks } from './marks.ts'
import { SessionFolders } from './session-folders.ts'

/**
 * Opens sessions that are kept in files. A folder of a newer version opens read-only.
 * @throws WorkbenchError `STORE_UNAVAILABLE` when it cannot be opened.
 */
export function openJsonlBackend({ dataFolder, units, readOnly, pause }: BackendOptions): Backend {
  const root = sessionsFolder(dataFolder)
  const format = readFormat(root)
  if (format === null) throw new WorkbenchError('STORE_UNAVAILABLE', 'There is no folder of sessions.')
  const isReadOnly = readOnly || format.version > FORMAT_VERSION
  try {
    if (!isReadOnly) clearUnfinished(root)
    const commit = new GroupCommit()
    return {
      readOnly: isReadOnly,
      ...createParts(root, { units, format, commit, readOnly: isReadOnly, pause }),
      together: steps => commit.run(() => steps.map(step => step())),
      close: () => {},
    }
  } catch (error) {
    throw new WorkbenchError('STORE_UNAVAILABLE', 'The folder of sessions cannot be opened.', {
      cause: error,
    })
  }
}

interface PartOptions {
  readonly units: readonly Unit[]
  readonly format: Format
  readonly commit: GroupCommit
  readonly readOnly: boolean
  readonly pause: BackendOptions['pause']
}

function createParts(
  root: string,
  { units, format, commit, readOnly, pause = () => {} }: PartOptions,
): Pick<Backend, 'methods' | 'logSource'> {
  const marks = new Marks(root, commit, readOnly)
  const folders = new SessionFolders({ root, commit, readOnly })
  const logs = new FolderLogs(folders, marks)
  const readLogs = withPauses(logs, pause)
  const rows = createFolderCheckpoints(folders, marks)
  const checkpoints = new CheckpointReads(rows, units, pause)
  const catchUp = createCatchUp(readLogs, rows, checkpoints, units)
  const outputs = new FolderOutputs(folders, logs, commit)
  const strictLoad = createStrictLoad(
    readLogs,
    createFolderRepair(folders, marks, commit),
    checkpoints,
    units,
  )
  const trash = createFolderTrash(folders, marks, commit, checkpoints)
  const methods: Methods = {
    reads: {
      ...createSessionLists(logs, createListedFolders(folders, logs, marks)),
      ...createLogReads(readLogs),
      ...createColdFolds(readLogs, checkpoints, units),
      ...createFolderCheck(folders, logs, marks),
      ...strictLoad.reads,
      ...catchUp.reads,
      ...trash.reads,
      ...createFolderUsage(folders, marks, checkpoints),
      ...outputs.reads,
      readCheckpoints: checkpoints.read.bind(checkpoints),
    },
    writes: {
      ...createFolderWrites(folders, commit, ENCODINGS[format.encoding], outputs),
      ...outputs.writes,
      ...strictLoad.writes,
      ...createCheckpointWrites(rows),
      ...catchUp.writes,
      ...trash.writes,
    },
  }
  return { methods, logSource: createFolderLogSource(folders, marks) }
}

/** What a kill left of sessions that were never made, or are deleted. */
function clearUnfinished(root: string): void {
  for (const name of readdirSync(root)) {
    if (name.startsWith('.new-') || name.startsWith('.gone-')) rmSync(join(root, name), { recursive: true })
  }
}

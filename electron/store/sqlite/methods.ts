import type Database from 'better-sqlite3'
import type { Unit } from '#shared/projection/unit.ts'
import { createCatchUp } from '../catch-up.ts'
import { CheckpointReads, createCheckpointWrites } from '../checkpoint-reads.ts'
import { createColdFolds } from '../cold-fold.ts'
import { createLogReads } from '../log-reads.ts'
import { withPauses } from '../pausing-logs.ts'
import { createSessionLists } from '../session-lists.ts'
import { createStrictLoad } from '../strict-load.ts'
import { createCheck } from './check.ts'
import { createCheckpointTable } from './checkpoint-table.ts'
import { createListedSessions } from './listed-sessions.ts'
import { createLogRepair } from './log-repair.ts'
import { LogTable } from './log-table.ts'
import { createLogWrites } from './log-writes.ts'
import { Outputs } from './outputs.ts'
import { pastDamage } from './past-damage.ts'
import { createPurge } from './purge.ts'
import { createStorageUsage } from './storage-usage.ts'
import { createTrash } from './trash.ts'

/** As `BackendOptions` has them. */
interface Hooks {
  readonly onDamage?: () => void
  readonly pause?: () => void
}

/** What the thread answers to. Writes go ahead of waiting reads and are refused on a read-only database. */
export function createMethods(
  db: Database.Database,
  units: readonly Unit[],
  { onDamage = () => {}, pause = () => {} }: Hooks = {},
) {
  const past = pastDamage(onDamage)
  const table = new LogTable(db, past)
  const readTable = withPauses(table, pause)
  const outputs = new Outputs(db, table)
  const checkpointRows = createCheckpointTable(db, past)
  const checkpoints = new CheckpointReads(checkpointRows, units, pause)
  const strictLoad = createStrictLoad(readTable, createLogRepair(db, table), checkpoints, units)
  const trash = createTrash(db, checkpoints)
  const catchUp = createCatchUp(readTable, checkpointRows, checkpoints, units)
  return {
    reads: {
      ...createSessionLists(table, createListedSessions(db)),
      ...createLogReads(readTable),
      ...createColdFolds(readTable, checkpoints, units),
      ...createCheck(db),
      ...strictLoad.reads,
      ...catchUp.reads,
      ...trash.reads,
      ...createStorageUsage(db, checkpoints),
      ...outputs.reads,
      readCheckpoints: checkpoints.read.bind(checkpoints),
    },
    writes: {
      ...createLogWrites(db, table, outputs, past),
      ...outputs.writes,
      ...strictLoad.writes,
      ...createCheckpointWrites(checkpointRows),
      ...catchUp.writes,
      ...trash.writes,
      ...createPurge(db, checkpoints, outputs),
    },
  }
}

export type Methods = ReturnType<typeof createMethods>
export type ThreadMethods = Methods['reads'] & Methods['writes']
export type MethodName = keyof ThreadMethods

import { describe } from 'vitest'
import { describeAborts } from './contract/aborts.contract.ts'
import { describeAnylog } from './contract/any-log.contract.ts'
import { describeAppends } from './contract/appends.contract.ts'
import { backendLab, type OpenBackend } from './contract/backend-lab.contract.ts'
import { describeCheckpoints } from './contract/checkpoints.contract.ts'
import { describeDrafts } from './contract/drafts.contract.ts'
import { describeLists } from './contract/lists.contract.ts'
import { describeLogs } from './contract/logs.contract.ts'

/*
 * What every backend must do. The numbers are those of the study's §8.11. On purpose different: 12 rejects with
 * `BAD_REQUEST`, 44 answers `missing` per batch, 46 and 47 reject with `SESSION_VERSION` (backends make such
 * records by their own means, so they are in their own test files, as is 50), 19 hands out values that are the
 * caller's own instead of frozen ones. 13–16, 18, 26–42 and 49 belong to live sessions, 20 and 21 to importers.
 */

export function persistenceContract(name: string, open: (dataFolder: string) => Promise<OpenBackend>): void {
  describe(`${name}: the persistence contract`, () => {
    const lab = backendLab(open)
    describeLogs(lab)
    describeAppends(lab)
    describeDrafts(lab)
    describeLists(lab)
    describeCheckpoints(lab)
    describeAborts(lab)
    describeAnylog(lab)
  })
}

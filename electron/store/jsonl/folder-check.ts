import { isKnownType } from '#shared/session/events.ts'
import { examine } from '../examine.ts'
import { logFindings, unknownTypesFinding } from '../log-findings.ts'
import { type Answer, answer } from '../wire.ts'
import { readCheckpoint } from './folder-checkpoints.ts'
import type { FolderLogs } from './folder-logs.ts'
import type { Marks } from './marks.ts'
import type { Entry, SessionFolders } from './session-folders.ts'

const MOST_SENTENCES = 1000

/** Reads every log. One sentence per finding, as far as a person can act on them. */
export function createFolderCheck(folders: SessionFolders, logs: FolderLogs, marks: Marks) {
  return {
    check(): Answer<readonly string[]> {
      const found = [
        ...(marks.problem === null ? [] : [marks.problem]),
        ...[...folders.all()].flatMap(entry => sessionProblems(entry, logs)),
      ]
      const left = found.length - MOST_SENTENCES
      return answer(left > 0 ? [...found.slice(0, MOST_SENTENCES), `And ${left} more findings.`] : found)
    },
  }
}

function sessionProblems(entry: Entry, logs: FolderLogs): string[] {
  const row = logs.row(entry)
  const read = logs.readHeader(row)
  if (read.kind === 'unreadable') return [`Session ${entry.id} cannot be opened. ${read.problem}`]
  return [...logProblems(entry), ...checkpointProblems(entry)]
}

function logProblems({ id, log }: Entry): string[] {
  if (log === null) return []
  // What the stored index says of a longer log is kept, all else is read.
  const { stated } = log.state()
  const { torn } = log.rebuild()
  let unknown = 0
  let example = ''
  const { damage } = examine(log.rows(0), { from: 0, end: stated, atTail: true }, ({ event }) => {
    if (isKnownType(event.type) || event.ignorable === true) return
    unknown += 1
    example ||= event.type
  })
  log.forget()
  const who = `Session ${id}`
  const found = logFindings(who, damage)
  if (torn > 0)
    found.push(`${who} ends with ${torn} bytes of a write that was cut off: loading it keeps them aside.`)
  return unknown === 0 ? found : [...found, unknownTypesFinding(who, unknown, example)]
}

function checkpointProblems(entry: Entry): string[] {
  const end = entry.log?.state().stated ?? 0
  const isAhead = readCheckpoint(entry)?.rows.some(([, , seq]) => seq >= end) === true
  return isAhead ? [`The checkpoint of session ${entry.id} is ahead of its log; it is not used.`] : []
}

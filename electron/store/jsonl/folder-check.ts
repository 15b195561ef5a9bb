import { examine } from '../examine.ts'
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
  const { index, torn } = log.rebuild()
  let stored = 0
  const end = Math.max(stated, index.end)
  const broken: number[] = []
  let last: number | null = null
  const { damage } = examine(log.rows(0), { from: 0, end, atTail: false }, ({ event }) => {
    stored += 1
    last = event.seq
  })
  for (const part of damage) if (part.kind === 'log-undecodable') broken.push(part.seq)
  log.forget()
  const problems: string[] = []
  if (stored + broken.length !== end) {
    const there = last === null ? 'none is there' : `the last one there is ${last}`
    problems.push(`Session ${id} should hold ${end} events and holds ${stored + broken.length}; ${there}.`)
  }
  if (broken.length > 0) {
    problems.push(`Session ${id} holds ${broken.length} unreadable events, the first at ${broken[0]}.`)
  }
  if (torn > 0) problems.push(`The log of session ${id} ends with ${torn} bytes of a write that was cut off.`)
  return problems
}

function checkpointProblems(entry: Entry): string[] {
  const end = entry.log?.state().stated ?? 0
  const isAhead = readCheckpoint(entry)?.rows.some(([, , seq]) => seq >= end) === true
  return isAhead ? [`The checkpoint of session ${entry.id} is ahead of its log; it is not used.`] : []
}

import { readByteLines } from '../byte-lines.ts'
import { parseLine } from '../parse-line.ts'
import { type Line, toLine } from './line.ts'

export interface LoadedFile {
  readonly lines: readonly Line[]
  /** At most one sentence. */
  readonly warnings: readonly string[]
}

/** A transcript file, whole. Bad lines cost one warning; rejects only when the file itself cannot be read. */
export async function loadFile(path: string, signal?: AbortSignal): Promise<LoadedFile> {
  const lines: Line[] = []
  const bad: string[] = []
  let unfinished = false
  for await (const batch of readByteLines(path, signal)) {
    for (const { no, bytes, ended } of batch) {
      const parsed = bytes === null ? { kind: 'bad' as const, problem: 'too long' } : parseLine(bytes)
      if (parsed.kind === 'record') lines.push(toLine(parsed.value, no))
      else if (parsed.kind === 'bad' && ended) bad.push(`line ${no}: ${parsed.problem}`)
      else if (parsed.kind === 'bad') unfinished = true
    }
  }
  const problems = bad.length === 0 ? [] : [badLines(bad)]
  if (unfinished) problems.push('the last line is not finished and was left out')
  return { lines, warnings: problems.length === 0 ? [] : [problems.join('; ')] }
}

function badLines(bad: readonly string[]): string {
  const shown = bad.slice(0, 3).join(', ')
  return bad.length === 1
    ? `one line could not be read (${shown})`
    : `${bad.length} lines could not be read (${shown}${bad.length > 3 ? ', …' : ''})`
}

import vm from 'node:vm'

export interface LinePattern {
  readonly source: string
  readonly flags: string
}

export type MatchedLines =
  | { readonly kind: 'lines'; readonly lines: readonly { readonly number: number; readonly text: string }[] }
  /** Some text makes this pattern search for ages. */
  | { readonly kind: 'too-slow' }

/** At most `limit` lines, counted from 1; long ones are cut around their match. */
export type LineMatcher = (text: string, limit: number, deadlineMs: number) => MatchedLines

const MAX_SHOWN = 300
const SCRIPT = new vm.Script(`
  (() => {
    const found = []
    let number = 0
    for (const line of text.split('\\n')) {
      number++
      const at = line.search(pattern)
      if (at === -1) continue
      const from = Math.max(0, at - ${MAX_SHOWN / 3})
      found.push(number, line.length <= ${MAX_SHOWN} ? line : line.slice(from, from + ${MAX_SHOWN}))
      if (found.length >= limit * 2) break
    }
    return JSON.stringify(found)
  })()
`)

/**
 * Matches in a context of its own under a deadline: a pattern of the model's may take exponential time, and no
 * regular expression may hold the host.
 */
export function createLineMatcher(pattern: LinePattern): LineMatcher {
  const context = vm.createContext({ source: pattern.source, flags: pattern.flags, text: '', limit: 0 })
  vm.runInContext('pattern = new RegExp(source, flags)', context)
  return (text, limit, timeout) => {
    Object.assign(context, { text, limit })
    try {
      return { kind: 'lines', lines: linesOf(String(SCRIPT.runInContext(context, { timeout }))) }
    } catch (error) {
      if (isTimeout(error)) return { kind: 'too-slow' }
      throw error
    }
  }
}

/** The error belongs to the other context: it is no instance of our `Error`. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  )
}

function linesOf(json: string): { readonly number: number; readonly text: string }[] {
  const found: unknown[] = JSON.parse(json)
  const lines = []
  for (let index = 0; index < found.length; index += 2) {
    lines.push({
      number: Number(found[index]),
      text: String(found[index + 1])
        .replace(/\r$/, '')
        .toWellFormed(),
    })
  }
  return lines
}

/** The strict reading of a pattern, else the lenient one that also takes `\<` and `\"`; else why it is none. */
export function readPattern(source: string, ignoreCase: boolean): LinePattern | { readonly problem: string } {
  const flags = ignoreCase ? 'i' : ''
  if (problemOf(source, `${flags}u`) === null) return { source, flags: `${flags}u` }
  const problem = problemOf(source, flags)
  return problem === null ? { source, flags } : { problem }
}

function problemOf(source: string, flags: string): string | null {
  try {
    new RegExp(source, flags)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Plain text as a pattern. */
export function literalSource(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

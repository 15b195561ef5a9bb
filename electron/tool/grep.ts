import { readFile, stat } from 'node:fs/promises'
import { dirname, posix } from 'node:path'
import { z } from 'zod'
import { count } from './amount-text.ts'
import { fileProblem } from './file-problem.ts'
import { encodingOf, SNIFF_BYTES } from './file-text.ts'
import { createLineMatcher, type LineMatcher, literalSource, readPattern } from './match-lines.ts'
import { GlobTooSlow, matchPaths } from './match-paths.ts'
import { errorOutcome, okOutcome } from './outcome-text.ts'
import { defineTool, type ToolOutcome } from './tool.ts'
import { leavesFolder, missingFolder, realPath, shownPath } from './tool-path.ts'
import { type WalkedFile, walkFiles } from './walk-files.ts'

const MAX_MATCHES = 200
const MAX_FILE_BYTES = 5_000_000
const FILE_DEADLINE_MS = 200
const SEARCH_DEADLINE_MS = 30_000

const inputSchema = z.object({
  pattern: z.string().min(1).max(2000).describe('A regular expression of JavaScript, matched line by line.'),
  path: z.string().min(1).optional().describe('A folder or file; the folder of the session when absent.'),
  glob: z.string().min(1).max(1000).optional().describe('Only files whose path matches, such as "*.ts".'),
  ignoreCase: z.boolean().optional(),
  literal: z.boolean().optional().describe('The pattern is plain text.'),
})
type GrepInput = z.infer<typeof inputSchema>

export const grepTool = defineTool<GrepInput>({
  name: 'grep',
  description:
    `Searches the text of files. Answers "path:line: text", at most ${MAX_MATCHES} lines. What git ignores, ` +
    'node_modules, .git, links and binary files are left out.',
  inputSchema,
  toolClass: 'read',
  approvalPattern: ({ pattern, path }) => `grep: ${path === undefined ? pattern : `${path}: ${pattern}`}`,
  leavesFolder: ({ path }, cwd) => path !== undefined && leavesFolder(cwd, path),
  execute: async (input, { cwd, signal }) => {
    const missing = await missingFolder(cwd)
    if (missing !== null) return missing
    const source = input.literal === true ? literalSource(input.pattern) : input.pattern
    const pattern = readPattern(source, input.ignoreCase === true)
    if ('problem' in pattern) {
      const text = `${pattern.problem}. Correct the pattern, or set literal to search for plain text.`
      return errorOutcome('BAD_PATTERN', text)
    }
    try {
      const start = realPath(cwd, input.path ?? '.')
      return outcomeOf(await search(start, cwd, input.glob, createLineMatcher(pattern), signal), input)
    } catch (error) {
      if (error instanceof GlobTooSlow)
        return errorOutcome('PATTERN_TOO_SLOW', 'The glob takes too long. Use a simpler one.')
      return fileProblem(error, input.path ?? cwd)
    }
  },
})

interface Found {
  readonly lines: readonly string[]
  readonly files: number
  /** Why there may be more. */
  readonly end: 'complete' | 'cut' | 'too-slow' | 'deadline' | 'stopped'
  readonly large: number
}

async function search(
  start: string,
  cwd: string,
  glob: string | undefined,
  matchLines: LineMatcher,
  signal: AbortSignal,
): Promise<Found> {
  const deadline = performance.now() + SEARCH_DEADLINE_MS
  const lines: string[] = []
  let files = 0
  let large = 0
  const state = (end: Found['end']): Found => ({ lines: lines.slice(0, MAX_MATCHES), files, end, large })
  const all = filesOf(start, signal)
  for await (const file of glob === undefined ? all : matchPaths(all, glob)) {
    if (performance.now() > deadline) return state('deadline')
    if (file.isLink) continue
    const text = await textOf(file.path)
    if (text === 'large') large++
    if (typeof text !== 'object' || text === null) continue
    const matched = matchLines(text.text, MAX_MATCHES + 1 - lines.length, FILE_DEADLINE_MS)
    if (matched.kind === 'too-slow') return state('too-slow')
    if (matched.lines.length > 0) files++
    const shown = shownPath(realPath(cwd, '.'), file.path)
    for (const line of matched.lines) lines.push(`${shown}:${line.number}: ${line.text}`)
    if (lines.length > MAX_MATCHES) return state('cut')
  }
  return state(signal.aborted ? 'stopped' : 'complete')
}

async function* filesOf(start: string, signal: AbortSignal): AsyncGenerator<WalkedFile> {
  if ((await stat(start)).isDirectory()) yield* walkFiles(start, signal)
  else yield { path: start, relative: posix.relative(dirname(start), start), isLink: false }
}

/** `null`: binary, or gone or unreadable by now; one such file costs nothing else. */
async function textOf(path: string): Promise<{ readonly text: string } | 'large' | null> {
  const found = await stat(path).catch(() => null)
  if (found === null || !found.isFile()) return null
  if (found.size > MAX_FILE_BYTES) return 'large'
  const bytes = await readFile(path).catch(() => null)
  if (bytes === null) return null
  const encoding = encodingOf(bytes.subarray(0, SNIFF_BYTES))
  return encoding === null ? null : { text: new TextDecoder(encoding).decode(bytes) }
}

function outcomeOf(found: Found, input: GrepInput): ToolOutcome {
  if (found.end === 'stopped') return errorOutcome('CANCELLED', 'The search was stopped.')
  const skipped = found.large === 0 ? '' : ` ${count(found.large, 'file')} above 5 MB not searched.`
  if (found.end === 'too-slow') {
    const text = 'The pattern takes too long on some line. Use a simpler one, without nested repetitions.'
    return errorOutcome('PATTERN_TOO_SLOW', text)
  }
  if (found.lines.length === 0) {
    const end = found.end === 'deadline' ? ' in 30 seconds: use a narrower path' : ''
    return okOutcome(`No matches for ${JSON.stringify(input.pattern)}${end}.${skipped}`, {
      summary: 'no matches',
    })
  }
  const cut = found.end === 'complete' ? '' : 'Cut here: use a narrower pattern, path or glob.'
  const note = `${cut}${skipped}`.trim()
  const body = note === '' ? found.lines.join('\n') : `${found.lines.join('\n')}\n\n[${note}]`
  const more = found.end === 'complete' ? '' : ', cut'
  const summary = `${count(found.lines.length, 'match', 'matches')} in ${count(found.files, 'file')}${more}`
  return okOutcome(body, { summary })
}

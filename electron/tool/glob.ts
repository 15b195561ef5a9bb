import { stat } from 'node:fs/promises'
import { posix } from 'node:path'
import picomatch from 'picomatch'
import { z } from 'zod'
import { count } from './amount-text.ts'
import { fileProblem } from './file-problem.ts'
import { GlobTooSlow, matchPaths } from './match-paths.ts'
import { errorOutcome, okOutcome } from './outcome-text.ts'
import { defineTool, type ToolOutcome } from './tool.ts'
import { leavesFolder, missingFolder, realPath, shownPath } from './tool-path.ts'
import { walkFiles } from './walk-files.ts'

const MAX_FILES = 500
const MAX_VISITED = 200_000

const inputSchema = z.object({
  pattern: z.string().min(1).max(1000).describe('A glob such as "**/*.ts" or "src/{a,b}/*.md".'),
  path: z.string().min(1).optional().describe('The folder to search; the folder of the session when absent.'),
})
type GlobInput = z.infer<typeof inputSchema>

export const globTool = defineTool<GlobInput>({
  name: 'glob',
  description:
    `Finds files by name, one path a line, at most ${MAX_FILES}. What git ignores, node_modules and .git are left ` +
    'out. A pattern without a slash matches names at any depth.',
  inputSchema,
  toolClass: 'read',
  approvalPattern: ({ pattern, path }) => `glob: ${path === undefined ? pattern : `${path}: ${pattern}`}`,
  leavesFolder: (input, cwd) => leavesFolder(cwd, split(input).folder),
  execute: async (input, { cwd, signal }) => {
    const missing = await missingFolder(cwd)
    if (missing !== null) return missing
    const { folder, pattern } = split(input)
    try {
      return await find(realPath(cwd, folder), shownPath(cwd, folder), pattern, signal)
    } catch (error) {
      if (error instanceof GlobTooSlow)
        return errorOutcome('PATTERN_TOO_SLOW', 'The glob takes too long. Use a simpler one.')
      return fileProblem(error, folder)
    }
  },
})

/** Moves the plain beginning of a pattern ("../other/src/") into the folder, so that one check covers both. */
function split(input: GlobInput): { readonly folder: string; readonly pattern: string } {
  const { base, glob } = picomatch.scan(input.pattern)
  const beginning = glob === '' ? posix.dirname(input.pattern) : base
  const pattern = glob === '' ? posix.basename(input.pattern) : glob
  const folder = input.path ?? '.'
  // A slash in the pattern as asked ties what is left of it to its folder.
  const tied = input.pattern.includes('/') && !pattern.includes('/') ? `./${pattern}` : pattern
  if (posix.isAbsolute(beginning)) return { folder: beginning, pattern: tied }
  return { folder: beginning === '' ? folder : posix.join(folder, beginning), pattern: tied }
}

async function find(
  folder: string,
  shown: string,
  pattern: string,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  if (!(await stat(folder)).isDirectory()) {
    return errorOutcome('ENOTDIR', `${JSON.stringify(shown)} is a file. Use read to see it.`)
  }
  const found: string[] = []
  let visited = 0
  async function* counted() {
    for await (const file of walkFiles(folder, signal)) {
      if (++visited > MAX_VISITED) return
      yield file
    }
  }
  for await (const file of matchPaths(counted(), pattern)) {
    found.push(shown === '.' ? file.relative : posix.join(shown, file.relative))
    if (found.length > MAX_FILES) break
  }
  if (signal.aborted) return errorOutcome('CANCELLED', 'The search was stopped.')
  return outcomeOf(found, visited > MAX_VISITED, pattern, shown)
}

function outcomeOf(
  found: readonly string[],
  unfinished: boolean,
  pattern: string,
  shown: string,
): ToolOutcome {
  const listed = found.slice(0, MAX_FILES)
  if (listed.length === 0) {
    const where = unfinished ? `the first ${count(MAX_VISITED, 'file')} of ${shown}` : shown
    return okOutcome(`No files match ${JSON.stringify(pattern)} in ${where}.`, { summary: 'no files' })
  }
  const cut = unfinished || found.length > MAX_FILES
  const note = cut ? `\n\n[Cut after ${count(listed.length, 'file')}. Use a narrower pattern or path.]` : ''
  return okOutcome(listed.join('\n') + note, {
    summary: `${count(listed.length, 'file')}${cut ? ', cut' : ''}`,
  })
}

import { readFile, stat } from 'node:fs/promises'
import { z } from 'zod'
import { byteSize, count } from './amount-text.ts'
import { fileProblem } from './file-problem.ts'
import { encodingOf, imageTypeOf, sniff } from './file-text.ts'
import { errorOutcome, okOutcome } from './outcome-text.ts'
import { type ReadLines, readLines } from './read-lines.ts'
import { defineTool, type ToolOutcome } from './tool.ts'
import { leavesFolder, missingFolder, realPath, shownPath } from './tool-path.ts'

const MAX_LINES = 2000
const MAX_LINE = 2000
const MAX_TOTAL = 100_000
const MAX_IMAGE_BYTES = 4_000_000

const inputSchema = z.object({
  path: z.string().min(1).describe('A file, relative to the folder of the session or absolute.'),
  offset: z.number().int().min(1).optional().describe('First line to read, counted from 1.'),
  limit: z.number().int().min(1).optional().describe(`Lines to read, at most ${MAX_LINES}.`),
})
type ReadInput = z.infer<typeof inputSchema>

export const readTool = defineTool<ReadInput>({
  name: 'read',
  description:
    `Reads a text file, or shows an image. Each line comes with its number and a tab, which are not part of the ` +
    `file. At most ${MAX_LINES} lines at once: use offset and limit for the rest.`,
  inputSchema,
  toolClass: 'read',
  approvalPattern: ({ path }) => `read: ${path}`,
  leavesFolder: ({ path }, cwd) => leavesFolder(cwd, path),
  execute: async (input, { cwd, signal }) => {
    const missing = await missingFolder(cwd)
    if (missing !== null) return missing
    try {
      return await readPath(realPath(cwd, input.path), shownPath(cwd, input.path), input, signal)
    } catch (error) {
      if (signal.aborted) return errorOutcome('CANCELLED', 'Reading was stopped.')
      return fileProblem(error, input.path)
    }
  },
})

async function readPath(
  path: string,
  shown: string,
  input: ReadInput,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const found = await stat(path)
  if (found.isDirectory()) {
    return errorOutcome('EISDIR', `${JSON.stringify(shown)} is a folder. Use glob to list its files.`)
  }
  if (!found.isFile()) {
    return errorOutcome('NOT_A_FILE', `${JSON.stringify(shown)} is a device, pipe or socket and is not read.`)
  }
  const head = await sniff(path)
  const mediaType = imageTypeOf(head)
  if (mediaType !== null) return readImage(path, shown, mediaType, found.size)
  const encoding = encodingOf(head)
  if (encoding === null) {
    const text = `${shown} is a binary file of ${byteSize(found.size)}. Its content is not shown.`
    return okOutcome(text, { summary: `binary, ${byteSize(found.size)}` })
  }
  const first = input.offset ?? 1
  const limit = Math.min(input.limit ?? MAX_LINES, MAX_LINES)
  const range = { first, limit, maxLine: MAX_LINE, maxTotal: MAX_TOTAL }
  return outcomeOf(await readLines(path, encoding, range, signal), shown, first)
}

function outcomeOf(read: ReadLines, shown: string, first: number): ToolOutcome {
  if (read.lines.length === 0 && !read.more) {
    if (read.total === 0) return okOutcome(`${shown} is empty.`, { summary: 'empty' })
    const lines = count(read.total ?? 0, 'line')
    return errorOutcome(
      'OUT_OF_RANGE',
      `${shown} has ${lines}: there is no line ${first}. Use a smaller offset.`,
    )
  }
  const last = first + read.lines.length - 1
  const notes = [
    read.more ? `Cut here. ${lineTotal(read)} Read on with offset ${last + 1}.` : '',
    read.longLines > 0 ? `${count(read.longLines, 'long line')} cut after ${MAX_LINE} characters.` : '',
    read.broken ? 'Some bytes are not valid UTF-8 and are shown as \uFFFD.' : '',
  ].filter(note => note !== '')
  const body = read.lines.map((line, index) => `${first + index}\t${line}`).join('\n')
  const text = notes.length === 0 ? body : `${body}\n\n[${notes.join(' ')}]`
  return okOutcome(text, { summary: count(read.lines.length, 'line') })
}

function lineTotal(read: ReadLines): string {
  return read.total === null ? 'The file goes on.' : `The file has ${count(read.total, 'line')}.`
}

async function readImage(path: string, shown: string, mediaType: string, size: number): Promise<ToolOutcome> {
  const what = `${shown}: ${mediaType}, ${byteSize(size)}`
  if (size > MAX_IMAGE_BYTES) {
    const text = `${what}. Images above ${byteSize(MAX_IMAGE_BYTES)} are not shown: make a smaller copy first.`
    return errorOutcome('TOO_LARGE', text)
  }
  const data = (await readFile(path)).toString('base64')
  return {
    status: 'ok',
    content: [
      { type: 'text', text: what },
      { type: 'image', mediaType, data },
    ],
    summary: `image, ${byteSize(size)}`,
  }
}

import { readFile, stat } from 'node:fs/promises'
import { posix } from 'node:path'
import { z } from 'zod'
import { byteSize, count } from './amount-text.ts'
import { changeFile } from './change-file.ts'
import { decodeExactly } from './file-text.ts'
import { errorOutcome, okOutcome } from './outcome-text.ts'
import { saveChange } from './save-change.ts'
import { defineTool, type ToolOutcome } from './tool.ts'
import { leavesFolder } from './tool-path.ts'

const MAX_COMPARED = 4_000_000

const inputSchema = z.object({
  path: z.string().min(1).describe('A file, relative to the folder of the session or absolute.'),
  content: z.string().describe('The whole new content.'),
})
type WriteInput = z.infer<typeof inputSchema>

export const writeTool = defineTool<WriteInput>({
  name: 'write',
  description:
    'Writes a whole text file: creates it, with its folders, or replaces what is there. Prefer edit for a small change.',
  inputSchema,
  toolClass: 'write',
  approvalPattern: ({ path }) => `write: ${folderPattern(path)}`,
  leavesFolder: ({ path }, cwd) => leavesFolder(cwd, path),
  execute: (input, { cwd, signal }) =>
    changeFile(input.path, { cwd }, (path, shown) => replace(path, shown, input.content, signal)),
})

/** The files directly in the folder of `path`: "src/*". */
export function folderPattern(path: string): string {
  return posix.join(posix.dirname(path), '*')
}

async function replace(
  path: string,
  shown: string,
  content: string,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  if (signal.aborted) return errorOutcome('CANCELLED', 'Writing was stopped. Nothing was changed.')
  const old = await stat(path).catch(() => null) // missing or unreachable: writing tells which
  if (old?.isDirectory() === true) {
    return errorOutcome('EISDIR', `${JSON.stringify(shown)} is a folder. Name a file inside it.`)
  }
  if (old !== null && !old.isFile()) {
    return errorOutcome(
      'NOT_A_FILE',
      `${JSON.stringify(shown)} is a device, pipe or socket and is not written.`,
    )
  }
  const before = old === null ? '' : old.size > MAX_COMPARED ? null : decodeExactly(await readFile(path))
  if (before === content && old !== null) {
    return okOutcome(`${shown} holds exactly that already.`, { summary: 'unchanged' })
  }
  const size = `${count(content === '' ? 0 : content.split('\n').length, 'line')}, ${byteSize(Buffer.byteLength(content))}`
  const done = `${old === null ? 'Created' : 'Replaced'} ${shown} (${size}).`
  return saveChange({ path, shown, before, after: content, mode: old?.mode ?? null }, done)
}

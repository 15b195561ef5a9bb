import { readFile, stat } from 'node:fs/promises'
import { z } from 'zod'
import { byteSize, count } from './amount-text.ts'
import { changeFile } from './change-file.ts'
import { decodeExactly } from './file-text.ts'
import { errorOutcome } from './outcome-text.ts'
import { saveChange } from './save-change.ts'
import { defineTool, type ToolOutcome } from './tool.ts'
import { leavesFolder } from './tool-path.ts'
import { folderPattern } from './write.ts'

const MAX_BYTES = 32_000_000

const inputSchema = z.object({
  path: z.string().min(1).describe('A file, relative to the folder of the session or absolute.'),
  oldText: z.string().min(1).describe('The exact text to replace, without line numbers.'),
  newText: z.string().describe('What stands there afterwards.'),
  replaceAll: z.boolean().optional().describe('Replace every occurrence instead of exactly one.'),
})
type EditInput = z.infer<typeof inputSchema>

export const editTool = defineTool<EditInput>({
  name: 'edit',
  description:
    'Replaces an exact piece of text in a file. The piece must occur exactly once, or replaceAll must be true: give ' +
    'enough lines around it to make it unique.',
  inputSchema,
  toolClass: 'write',
  approvalPattern: ({ path }) => `edit: ${folderPattern(path)}`,
  leavesFolder: ({ path }, cwd) => leavesFolder(cwd, path),
  execute: (input, { cwd, signal }) =>
    changeFile(input.path, { cwd }, (path, shown) => change(path, shown, input, signal)),
})

async function change(
  path: string,
  shown: string,
  input: EditInput,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  if (signal.aborted) return errorOutcome('CANCELLED', 'Editing was stopped. Nothing was changed.')
  const found = await stat(path)
  if (!found.isFile()) {
    return errorOutcome(
      'NOT_A_FILE',
      `${JSON.stringify(shown)} is not a file. Use glob to find the file to edit.`,
    )
  }
  if (found.size > MAX_BYTES) {
    const text = `${shown} has ${byteSize(found.size)}, more than edit handles. Use a shell command instead.`
    return errorOutcome('TOO_LARGE', text)
  }
  const before = decodeExactly(await readFile(path))
  if (before === null) {
    const text = `${shown} is not UTF-8 text: editing would damage it. Nothing was changed.`
    return errorOutcome('NOT_TEXT', text)
  }
  const replaced = replaceText(before, input)
  if (replaced.problem !== null) return errorOutcome('EDIT_REFUSED', `${shown}: ${replaced.problem}`)
  const done = `Replaced ${count(replaced.times, 'occurrence')} in ${shown}.`
  return saveChange({ path, shown, before, after: replaced.text, mode: found.mode }, done)
}

export type Replacement =
  | { readonly problem: string }
  | { readonly problem: null; readonly text: string; readonly times: number }

/** Plain text all the way: nothing in the new text is special. Line ends follow those of the file. */
export function replaceText(
  before: string,
  edit: Pick<EditInput, 'oldText' | 'newText' | 'replaceAll'>,
): Replacement {
  if (edit.oldText === edit.newText)
    return { problem: 'oldText and newText are the same. Nothing was changed.' }
  const [oldText, newText] = withLineEnds(before, edit.oldText, edit.newText)
  const pieces = before.split(oldText)
  const times = pieces.length - 1
  if (times === 0) {
    return { problem: 'oldText does not occur in it. Read the file again and copy the text exactly.' }
  }
  if (times > 1 && edit.replaceAll !== true) {
    const fix = 'Add lines around it to make it unique, or set replaceAll.'
    return { problem: `oldText occurs ${times} times. ${fix}` }
  }
  return { problem: null, text: pieces.join(newText), times }
}

function withLineEnds(before: string, oldText: string, newText: string): readonly [string, string] {
  const everyLine = before.includes('\r\n') && !/(?:^|[^\r])\n/.test(before)
  const windows = everyLine || (before.includes('\r\n') && !before.includes(oldText))
  const convert = (text: string) => (windows ? text.replaceAll(/\r?\n/g, '\r\n') : text)
  return [convert(oldText), convert(newText)]
}

import { withFileLock } from './file-lock.ts'
import { fileProblem } from './file-problem.ts'
import type { ToolContext, ToolOutcome } from './tool.ts'
import { missingFolder, realPath, shownPath } from './tool-path.ts'

/**
 * Changes one file, alone among the calls of this process: `change` gets its real path and the one to show. What the
 * file system refuses is an outcome that names the path as it was given.
 */
export async function changeFile(
  given: string,
  { cwd }: Pick<ToolContext, 'cwd'>,
  change: (path: string, shown: string) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const missing = await missingFolder(cwd)
  if (missing !== null) return missing
  const path = realPath(cwd, given)
  try {
    return await withFileLock(path, () => change(path, shownPath(cwd, given)))
  } catch (error) {
    return fileProblem(error, given)
  }
}

import { errorOutcome } from './outcome-text.ts'
import type { ToolOutcome } from './tool.ts'

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist. Check the path, or use glob to find it',
  ENOTDIR: 'does not exist: a part of its path is a file. Check the path, or use glob to find it',
  EEXIST: 'cannot be made: a part of its path is a file. Choose another path',
  EISDIR: 'is a folder. Use glob to list its files',
  EACCES: 'may not be accessed by this user. Ask the person to change its permissions',
  EPERM: 'may not be accessed by this user. Ask the person to change its permissions',
  EROFS: 'is on a read-only file system. Choose another place',
  ENOSPC: 'could not be written: the disk is full. Ask the person to free some space',
  EDQUOT: 'could not be written: the disk quota is used up. Ask the person to free some space',
  ENAMETOOLONG: 'has too long a name. Choose a shorter one',
  ELOOP: 'leads through too many symbolic links. Use the real path',
  EBUSY: 'is in use by another program. Try again later',
  EMFILE: 'could not be opened: too many files are open. Try again later',
  EIO: 'could not be read from its disk. Ask the person to check the disk',
  ERR_INVALID_ARG_VALUE: 'is not a path: it holds a character that no path may have. Check the path',
}

/** The answer for a failed call of the file system. Anything else is a fault of ours and is thrown again. */
export function fileProblem(error: unknown, shownPath: string): ToolOutcome {
  const code = codeOf(error)
  const problem = code === null ? undefined : PROBLEMS[code]
  if (code === null || problem === undefined) throw error
  return errorOutcome(code, `${JSON.stringify(shownPath)} ${problem}.`)
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}

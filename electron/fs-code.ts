/** Whether a Node system error has this code, e.g. `ENOENT`. */
export function hasFsCode(error: unknown, ...codes: readonly string[]): boolean {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code)
  )
}

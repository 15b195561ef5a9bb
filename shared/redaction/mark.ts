/** What stands in place of a secret. */
export function markOf(kind: string): string {
  return `[redacted: ${kind}]`
}

/** Marks of this run and of earlier ones: they are never taken for secrets. Kinds are short words. */
export const MARKS = /\[redacted: [A-Za-z ]{1,40}\]/g

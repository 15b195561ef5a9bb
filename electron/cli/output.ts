import process from 'node:process'
import { alignColumns } from './plain-text.ts'

/** A reader that has seen enough (`| head`) ends the command without a complaint. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
}

export function printLines(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`)
}

/** One value a line. */
export function printJson(values: readonly unknown[]): void {
  printLines(values.map(value => JSON.stringify(value)))
}

export function printTable(rows: readonly (readonly string[])[]): void {
  printLines(alignColumns(rows))
}

export function complain(sentence: string): void {
  if (sentence !== '') process.stderr.write(`${sentence}\n`)
}

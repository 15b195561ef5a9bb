import { join } from 'node:path'
import { z } from 'zod'
import { WorkbenchError } from '#shared/errors.ts'
import { readSmall } from './side-files.ts'

export const FORMAT_VERSION = 1

const formatSchema = z.object({
  format: z.literal('espalier-sessions'),
  version: z.number().int().positive(),
  /** How the logs of new sessions are kept; each log says by its name how it is kept itself. */
  encoding: z.enum(['text', 'zstd']).catch('text'),
})
export type Format = z.infer<typeof formatSchema>

export function sessionsFolder(dataFolder: string): string {
  return join(dataFolder, 'sessions')
}

export function formatFile(sessions: string): string {
  return join(sessions, 'format.json')
}

export function formatText(encoding: Format['encoding']): string {
  return `${JSON.stringify({ format: 'espalier-sessions', version: FORMAT_VERSION, encoding })}\n`
}

/**
 * `null` where no sessions are kept in files.
 * @throws WorkbenchError `STORE_UNAVAILABLE` when the file is there and cannot be understood.
 */
export function readFormat(sessions: string): Format | null {
  try {
    const text = readSmall(formatFile(sessions), 64 * 1024)
    return text === null ? null : formatSchema.parse(JSON.parse(text.toString('utf8')))
  } catch (error) {
    const problem = `The folder of sessions cannot be used: ${formatFile(sessions)} cannot be read.`
    throw new WorkbenchError('STORE_UNAVAILABLE', problem, { cause: error })
  }
}

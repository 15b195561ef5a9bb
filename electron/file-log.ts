import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import electronLog from 'electron-log/node'
import { redactText } from '#shared/redaction/redact-text.ts'
import type { Log } from './log.ts'

/**
 * Writes `<dataFolder>/logs/<name>.log`, line by line and at once, so that the last sentence before a crash is
 * there. At 2 MiB the file becomes `<name>.old.log`. What is secret is redacted, in stacks and causes too: what looks
 * like it, and the values that `known` gives by then.
 */
export function createFileLog(
  dataFolder: string,
  name: string,
  known: () => readonly string[] = () => [],
): Log {
  const folder = join(dataFolder, 'logs')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const logger = electronLog.create({ logId: name })
  logger.transports.console.level = false
  // All loggers print a stack through the first one when a file cannot be written: a full disk is told of in words.
  electronLog.transports.console.writeFn = () => {}
  logger.transports.file.resolvePathFn = () => join(folder, `${name}.log`)
  logger.transports.file.maxSize = 2 * 1024 * 1024
  logger.transports.file.sync = true
  logger.transports.file.writeOptions = { flag: 'a', mode: 0o600, encoding: 'utf8' }
  const clean = (text: string) => redactText(text, { known: known() })

  return {
    info: sentence => logger.info(clean(sentence)),
    warn: sentence => logger.warn(clean(sentence)),
    error: (sentence, error) => logger.error(clean(`${sentence}${textOf(error)}`)),
  }
}

/** A chain of causes longer than this says nothing more; one that bites its tail never ends. */
const MOST_CAUSES = 10

function textOf(error: unknown, depth = 0): string {
  if (error === undefined || depth > MOST_CAUSES) return ''
  if (!(error instanceof Error)) return `: ${String(error)}`
  const cause = error.cause === undefined ? '' : `\ncaused by${textOf(error.cause, depth + 1)}`
  return `: ${error.stack ?? error.message}${cause}`
}

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import electronLog from 'electron-log/node'
import type { Log } from './log.ts'

/**
 * Writes `<dataFolder>/logs/<name>.log`, line by line and at once, so that the last sentence before a crash is
 * there. At 2 MiB the file becomes `<name>.old.log`. What looks like a key or a token is blanked.
 */
export function createFileLog(dataFolder: string, name: string): Log {
  const folder = join(dataFolder, 'logs')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const logger = electronLog.create({ logId: name })
  logger.transports.console.level = false
  logger.transports.file.resolvePathFn = () => join(folder, `${name}.log`)
  logger.transports.file.maxSize = 2 * 1024 * 1024
  logger.transports.file.sync = true
  logger.transports.file.writeOptions = { flag: 'a', mode: 0o600, encoding: 'utf8' }

  return {
    info: sentence => logger.info(withoutSecrets(sentence)),
    warn: sentence => logger.warn(withoutSecrets(sentence)),
    error: (sentence, error) => logger.error(withoutSecrets(`${sentence}${textOf(error)}`)),
  }
}

const SECRETS = [
  /\b(?:sk|pk|key|ghp|gho|xox[abp])[-_][A-Za-z0-9_-]{8,}/g,
  /\bAKIA[A-Z0-9]{16}\b/g,
  /(?<=\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}/gi,
  /(?<=\b(?:token|api[-_]?key|password|secret)["']?\s*[=:]\s*["']?)[^\s"'&,}]{4,}/gi,
  /(?<=:\/\/[^\s/:@]+:)[^\s/@]+(?=@)/g,
]

export function withoutSecrets(text: string): string {
  return SECRETS.reduce((rest, secret) => rest.replace(secret, '[hidden]'), text)
}

function textOf(error: unknown): string {
  if (error === undefined) return ''
  if (!(error instanceof Error)) return `: ${String(error)}`
  const cause = error.cause === undefined ? '' : `\ncaused by${textOf(error.cause)}`
  return `: ${error.stack ?? error.message}${cause}`
}

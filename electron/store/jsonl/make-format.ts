import { mkdirSync } from 'node:fs'
import type { EncodingName } from './encoding.ts'
import { formatFile, formatText } from './format.ts'
import { replaceFile, syncFolder } from './side-files.ts'

/** Makes `sessions` a folder for sessions in files, whose new logs are kept in `encoding`. */
export function makeSessionsFolder(sessions: string, encoding: EncodingName): void {
  mkdirSync(sessions, { recursive: true, mode: 0o700 })
  replaceFile(formatFile(sessions), formatText(encoding), true)
  syncFolder(sessions)
}

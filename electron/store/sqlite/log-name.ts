import type Database from 'better-sqlite3'
import { pastDamage } from './past-damage.ts'

const MOST_CHARACTERS = 60

/**
 * What a person may know a session by, from its log alone: its title, its label as a child, or how its first message
 * begins. `null` where there is none. Reads the log until it finds one: for the few that something is said about.
 */
export function nameInLog(db: Database.Database, key: number): string | null {
  const past = pastDamage(() => {})
  const value = (path: string, type: string) =>
    past<unknown>(
      () =>
        db
          .prepare<[number], unknown>(
            `SELECT CASE WHEN json_valid(data) THEN data ->> '${path}' END FROM event
             WHERE session_key = ? AND type = '${type}' ORDER BY seq DESC LIMIT 1`,
          )
          .pluck()
          .get(key),
      () => undefined,
    )
  const name =
    value('$.title', 'session/title') ??
    value('$.label', 'subagent/descriptor') ??
    value('$.content[0].text', 'user/message')
  if (typeof name !== 'string' || name.trim() === '') return null
  const line = name.trim().replaceAll(/\s+/g, ' ')
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS - 1)}…` : line
}

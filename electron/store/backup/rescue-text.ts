import { shortId } from '#shared/session/ids.ts'
import type { Opening } from '../opening.ts'
import type { RescueReport, SalvagedSession } from './rescue-report.ts'

/** Sessions that a banner names; the rest is counted. */
const NAMED = 3

/** What was met at the start, for people; `null` when nothing was. */
export function openingText({ rescued, missing }: Opening): string | null {
  if (rescued !== undefined) return rescueText(rescued)
  if (missing === 'wal') {
    return 'Espalier was killed, and the file with what it had saved last (espalier.db-wal) is gone: the end of the latest sessions may be missing.'
  }
  if (missing === 'database')
    return 'The session database is gone, but there are backups of it. A new one was begun.'
  return null
}

export function rescueText({ sessions, kept }: RescueReport): string {
  const hurt = sessions.filter(({ lost }) => lost > 0).toSorted((one, other) => other.lost - one.lost)
  const rebuilt = sessions.filter(one => one.rebuilt).length
  const whole = sessions.length - hurt.length
  const saved =
    sessions.length === 0
      ? 'No session in it could be read.'
      : `${whole} of ${sessions.length} sessions kept every event.`
  const more = hurt.length > NAMED ? [`${hurt.length - NAMED} more lost some.`] : []
  const headers =
    rebuilt === 0 ? [] : [`Of ${rebuilt} the record had to be put together anew; it may lack the folder.`]
  return [
    'The session database was damaged; what can be read was saved into a new one.',
    saved,
    ...hurt.slice(0, NAMED).map(hurtText),
    ...more,
    ...headers,
    `The damaged file is kept (${kept}).`,
  ].join(' ')
}

export function hurtText({ id, title, lost, kept, rebuilt }: SalvagedSession): string {
  const name = title === null ? `Session ${shortId(id)}` : `“${title}”`
  if (lost === 0) return `${name} kept every event${rebuilt ? '; its record was put together anew' : ''}.`
  if (kept === 0) return `${name} lost all ${lost} events.`
  return `${name} lost ${lost} of ${lost + kept} events.`
}

const WHEN = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

export function newestBackupText(at: number | null): string {
  return at === null ? 'There is no backup.' : `The newest backup is from ${WHEN.format(at)}.`
}

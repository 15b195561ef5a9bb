import type { BackupName, BackupReason } from './places.ts'

/**
 * How many of each kind are kept: seven days, and what was there before the last seven upgrades. A backup that a person
 * asked for, or that keeps what was replaced, is theirs: it goes only when they delete it.
 */
export const KEPT: Readonly<Partial<Record<BackupReason, number>>> = { daily: 7, migration: 7 }

/**
 * The names that have to go, given everything there is. The newest of a kind stay, and so does the last one from before
 * each time that damage was put aside: it may be the only one that holds what was lost then.
 */
export function outdated(backups: readonly BackupName[], damageAt: readonly number[] = []): string[] {
  const newestFirst = [...backups].sort((one, other) => other.at - one.at)
  const precious = new Set(damageAt.map(time => newestFirst.find(({ at }) => at < time)?.name))
  const seen = new Map<BackupReason, number>()
  return newestFirst.flatMap(({ name, reason }) => {
    const count = (seen.get(reason) ?? 0) + 1
    seen.set(reason, count)
    const kept = KEPT[reason]
    return kept !== undefined && count > kept && !precious.has(name) ? [name] : []
  })
}

const DAY_MS = 86_400_000

/**
 * A daily backup is due when the newest backup of any kind, made of what is there now, is a day old. A clock that was
 * set back makes backups of the future: those count as no backup.
 */
export function isDailyDue(backups: readonly BackupName[], now: number): boolean {
  return !backups.some(
    ({ at, reason }) => (reason === 'daily' || reason === 'manual') && at <= now && now - at < DAY_MS,
  )
}

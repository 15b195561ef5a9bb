const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** At most two adjacent units: "12s", "6m 42s", "1h 08m", "3d 4h". Never negative. */
export function formatDuration(ms: number): string {
  const total = Math.max(0, Math.floor(ms / SECOND))
  if (total < 60) return `${total}s`
  if (total < 3600) return `${Math.floor(total / 60)}m ${pad(total % 60)}s`
  if (total < 86_400) return `${Math.floor(total / 3600)}h ${pad(Math.floor((total % 3600) / 60))}m`
  return `${Math.floor(total / 86_400)}d ${Math.floor((total % 86_400) / 3600)}h`
}

/** How long ago, one unit: "now", "11m", "2h", "3d", "5w". */
export function formatAgo(since: number, now: number): string {
  const ms = Math.max(0, now - since)
  if (ms < MINUTE) return 'now'
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h`
  if (ms < 14 * DAY) return `${Math.floor(ms / DAY)}d`
  return `${Math.floor(ms / (7 * DAY))}w`
}

/** Three figures at most: "940", "6k", "142k", "1.2M". */
export function formatTokens(count: number): string {
  if (count < 1000) return String(Math.max(0, Math.round(count)))
  if (count < 999_500) return `${Math.round(count / 1000)}k`
  const millions = count / 1_000_000
  return `${millions < 10 ? millions.toFixed(1) : Math.round(millions)}M`
}

export function formatCost(usd: number): string {
  if (usd > 0 && usd < 0.005) return '<$0.01'
  return usd >= 100 ? `$${Math.round(usd)}` : `$${usd.toFixed(2)}`
}

export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

/** "812 bytes", "4.1 kB", "30 MB", "1.07 GB": three figures. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return plural(bytes, 'byte')
  const units = ['kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3))
  const value = Number((bytes / 1000 ** power).toPrecision(3))
  return `${value} ${units[power - 1]}`
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/** "14:02" today, "29 Nov 14:02" before. */
export function formatTime(at: number, now: number): string {
  const date = new Date(at)
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}`
  if (new Date(now).toDateString() === date.toDateString()) return time
  return `${date.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })} ${time}`
}

/** To the second, with the date, in the person's locale: for titles. */
export function formatExact(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
}

/** "14:22:06" */
export function formatClock(at: number): string {
  const date = new Date(at)
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`
}

/** The last part of a path, of either kind of slash. */
export function folderName(path: string): string {
  return path.split(/[/\\]/).findLast(part => part !== '') ?? path
}

/** With the home folder written as "~". */
export function shortPath(path: string, home: string | null): string {
  if (home === null || home === '' || !path.startsWith(home)) return path
  const rest = path.slice(home.length)
  return rest === '' || rest.startsWith('/') || rest.startsWith('\\') ? `~${rest}` : path
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}

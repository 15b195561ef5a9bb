/** At most two adjacent units: "12s", "6m 42s", "1h 08m", "3d 4h". */
export function durationText(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1000))
  if (total < 60) return `${total}s`
  if (total < 3600) return `${Math.floor(total / 60)}m ${two(total % 60)}s`
  if (total < 86_400) return `${Math.floor(total / 3600)}h ${two(Math.floor((total % 3600) / 60))}m`
  return `${Math.floor(total / 86_400)}d ${Math.floor((total % 86_400) / 3600)}h`
}

/** "940", "6k", "1.2M". */
export function tokensText(count: number): string {
  if (count < 1000) return String(Math.round(count))
  if (count < 999_500) return `${Math.round(count / 1000)}k`
  return `${(count / 1_000_000).toFixed(1)}M`
}

/** "2026-11-30 14:02:07" where this machine is. Empty for a time that is none. */
export function localTime(at: number): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

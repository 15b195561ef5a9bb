import { MARKS, markOf } from './mark.ts'
import { type RedactionOptions, redactText } from './redact-text.ts'
import { isPlaceholder } from './rule.ts'
import { kindOfName } from './secret-names.ts'

/** Deeper values of a log cannot be: writing it refuses them. */
const MAX_DEPTH = 2500

/**
 * The same value with secrets out of its strings: by the name they stand under (`{ password: … }`, also
 * `{ name: 'password', value: … }`), and by what they say themselves. Names stay, unless a name is a secret itself.
 * What holds none comes back as the same reference.
 */
export function redactJson(value: unknown, options: RedactionOptions = {}): unknown {
  return redactAt(value, { options, kind: null, depth: 0 })
}

interface Place {
  readonly options: RedactionOptions
  /** What the name above says is kept here. */
  readonly kind: string | null
  readonly depth: number
}

function redactAt(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return redactString(value, place)
  if (typeof value === 'number') return place.kind === 'password' ? markOf(place.kind) : value
  if (typeof value !== 'object' || value === null) return value
  if (place.depth > MAX_DEPTH) return markOf('nested too deeply')
  const inside = { ...place, depth: place.depth + 1 }
  return Array.isArray(value) ? redactItems(value, inside) : redactEntries(value, inside)
}

function redactString(text: string, { options, kind }: Place): string {
  if (kind === null || isPlaceholder(text)) return redactText(text, options)
  const isMarked = text.replaceAll(MARKS, '').trim() === ''
  return isMarked ? text : markOf(kind)
}

function redactItems(items: readonly unknown[], place: Place): readonly unknown[] {
  let changed: unknown[] | null = null
  for (const [index, item] of items.entries()) {
    const next = redactAt(item, place)
    if (next === item) continue
    changed ??= [...items]
    changed[index] = next
  }
  return changed ?? items
}

function redactEntries(value: object, place: Place): object {
  const named = nameInside(value)
  const entries = new Map<string, unknown>()
  let isChanged = false
  for (const [key, item] of Object.entries(value)) {
    const kind = (key === 'value' ? named : null) ?? kindOfName(key) ?? place.kind
    const name = freeName(redactText(key, place.options), entries)
    const next = redactAt(item, { ...place, kind })
    if (name !== key || next !== item) isChanged = true
    entries.set(name, next)
  }
  return isChanged ? Object.fromEntries(entries) : value
}

/** Two secret names must not become one. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  if (!taken.has(name)) return name
  for (let count = 2; ; count++) if (!taken.has(`${name} ${count}`)) return `${name} ${count}`
}

/** Headers, cookies, variables and fields of forms as lists write them: the name is a value too. */
function nameInside(value: object): string | null {
  for (const field of ['name', 'key', 'header', 'variable'] as const) {
    const name: unknown = Reflect.get(value, field)
    if (typeof name === 'string' && Object.hasOwn(value, field)) return kindOfName(name)
  }
  return null
}

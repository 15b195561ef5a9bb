import { textField } from '../json-fields.ts'
import { isMessage, type Line, wordsOf } from './line.ts'
import { userKind } from './user-line.ts'

/** A line at its place in the transcript. Lines that are not `shown` are kept as raw entries. */
export interface PlacedLine {
  readonly line: Line
  readonly shown: boolean
}

/**
 * The lines of one thread in reading order: file order, except that a line never stands before its parent. A line
 * that is written twice stays once. Of a fork (a prompt edited or sent again) the branch with the latest message is
 * shown. Most branch points are no forks: parallel tool calls make them, and then every branch is shown.
 */
export function arrange(lines: readonly Line[]): readonly PlacedLine[] {
  const kept = withoutRepeats(lines)
  const byUuid = new Map<string, Line>()
  for (const line of kept) if (line.uuid !== null && !byUuid.has(line.uuid)) byUuid.set(line.uuid, line)
  const parentOf = (line: Line): Line | null => {
    const parent = line.parent === null ? undefined : byUuid.get(line.parent)
    return parent === undefined || parent === line ? null : parent
  }
  const hidden = abandoned(kept, parentOf)
  return parentsFirst(kept, parentOf).map(line => ({ line, shown: !hidden.has(line) }))
}

/** Lines that share a uuid but say different things are all kept. */
function withoutRepeats(lines: readonly Line[]): readonly Line[] {
  const seen = new Map<string, Line[]>()
  return lines.filter(line => {
    if (line.uuid === null) return true
    const others = seen.get(line.uuid)
    if (others === undefined) {
      seen.set(line.uuid, [line])
      return true
    }
    const words = wordsOf(line)
    if (others.some(other => wordsOf(other) === words)) return false
    others.push(line)
    return true
  })
}

function parentsFirst(lines: readonly Line[], parentOf: (line: Line) => Line | null): readonly Line[] {
  const placed = new Set<Line>()
  const waiting = new Map<Line, Line[]>()
  const ordered: Line[] = []
  for (const line of lines) {
    const parent = parentOf(line)
    if (parent !== null && !placed.has(parent)) {
      const others = waiting.get(parent)
      if (others === undefined) waiting.set(parent, [line])
      else others.push(line)
      continue
    }
    const ready = [line]
    for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
      placed.add(next)
      ordered.push(next)
      ready.push(...(waiting.get(next)?.toReversed() ?? []))
      waiting.delete(next)
    }
  }
  // What still waits is a cycle, or hangs on one: file order is all there is.
  return ordered.length === lines.length ? ordered : [...ordered, ...lines.filter(line => !placed.has(line))]
}

function abandoned(lines: readonly Line[], parentOf: (line: Line) => Line | null): ReadonlySet<Line> {
  const children = new Map<Line, Line[]>()
  for (const line of lines) {
    const parent = parentOf(line)
    if (parent === null) continue
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [line])
    else siblings.push(line)
  }
  const active = new Set<Line>()
  const leaf = lines.findLast(line => isMessage(line) && line.uuid !== null) ?? null
  for (let at = leaf; at !== null && !active.has(at); at = parentOf(at)) active.add(at)

  const hidden = new Set<Line>()
  for (const [parent, siblings] of children) {
    const followed = siblings.find(line => active.has(line))
    if (followed === undefined || siblings.length < 2) continue
    for (const other of siblings) {
      if (active.has(other) || !isFork(parent, followed, other, children)) continue
      for (const line of below(other, children)) if (!active.has(line)) hidden.add(line)
    }
  }
  return hidden
}

type Children = ReadonlyMap<Line, readonly Line[]>

function isFork(parent: Line, followed: Line, other: Line, children: Children): boolean {
  const [one, two] = [startOf(followed, children), startOf(other, children)]
  if (one === null || two === null || (one.kind !== 'prompt' && two.kind !== 'prompt')) return false
  const id = textField(parent.message, 'id')
  return id === null || [one, two].every(start => textField(start.line.message, 'id') !== id)
}

/** What a branch begins with, hooks and progress lines aside. `null` for one that asks and answers nothing. */
function startOf(branch: Line, children: Children): { kind: 'prompt' | 'answer'; line: Line } | null {
  const pending = [branch]
  const seen = new Set<Line>()
  for (let line = pending.shift(); line !== undefined; line = pending.shift()) {
    if (seen.has(line)) continue
    seen.add(line)
    if (!isMessage(line)) {
      pending.push(...(children.get(line) ?? []))
      continue
    }
    if (line.type === 'assistant') return { kind: 'answer', line }
    const kind = userKind(line)
    if (kind === 'prompt') return { kind, line }
    if (kind === 'context') pending.push(...(children.get(line) ?? []))
    if (kind !== 'command') continue
    const isAnswered = below(line, children).some(({ type }) => type === 'assistant')
    return isAnswered ? { kind: 'prompt', line } : null
  }
  return null
}

function below(top: Line, children: Children): readonly Line[] {
  const found = new Set<Line>([top])
  for (const line of found) for (const child of children.get(line) ?? []) found.add(child)
  return [...found]
}

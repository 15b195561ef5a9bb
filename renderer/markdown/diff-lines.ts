import { diffWordsWithSpace, parsePatch } from 'diff'

type Change = ReturnType<typeof diffWordsWithSpace>[number]

/** A stretch of a changed line; `marked` where its counterpart differs. */
export interface DiffPart {
  readonly text: string
  readonly marked: boolean
}

export interface DiffLine {
  readonly kind: 'add' | 'del' | 'same' | 'skip'
  readonly oldNo: number | null
  readonly newNo: number | null
  readonly parts: readonly DiffPart[]
}

export interface FileDiff {
  readonly path: string
  readonly lines: readonly DiffLine[]
}

const MAX_WORD_LINE = 1000

/** The files of a unified diff, `null` for text that is none. Never throws. */
export function readDiff(text: string): readonly FileDiff[] | null {
  const files = parsed(text)
  if (files.length === 0 || files.every(file => file.hunks.length === 0)) return null
  return files.map(file => ({
    path: pathOf(file.newFileName) ?? pathOf(file.oldFileName) ?? '',
    lines: file.hunks.flatMap(hunkLines),
  }))
}

function parsed(text: string): ReturnType<typeof parsePatch> {
  try {
    return parsePatch(text)
  } catch {
    // The parser throws on what is no diff: then there are no files in it.
    return []
  }
}

/** Added and removed lines, read without parsing words: for the folded line. */
export function countChanges(text: string): { readonly added: number; readonly removed: number } {
  let added = 0
  let removed = 0
  for (const line of text.split('\n')) {
    if (line.startsWith('+') && !line.startsWith('+++ ')) added++
    else if (line.startsWith('-') && !line.startsWith('--- ')) removed++
  }
  return { added, removed }
}

type Hunk = ReturnType<typeof parsePatch>[number]['hunks'][number]

function hunkLines(hunk: Hunk, index: number): DiffLine[] {
  const lines: DiffLine[] = index === 0 ? [] : [{ kind: 'skip', oldNo: null, newNo: null, parts: [] }]
  let oldNo = hunk.oldStart
  let newNo = hunk.newStart
  let removed: string[] = []
  let added: string[] = []
  const flush = () => {
    const words = removed.map((line, at) => wordsOf(line, added[at]))
    removed.forEach((line, at) => {
      lines.push({ kind: 'del', oldNo: oldNo++, newNo: null, parts: words[at]?.before ?? whole(line) })
    })
    added.forEach((line, at) => {
      lines.push({ kind: 'add', oldNo: null, newNo: newNo++, parts: words[at]?.after ?? whole(line) })
    })
    removed = []
    added = []
  }
  for (const line of hunk.lines) {
    const text = line.slice(1)
    if (line.startsWith('-')) {
      if (added.length > 0) flush()
      removed.push(text)
    } else if (line.startsWith('+')) {
      added.push(text)
    } else if (!line.startsWith('\\')) {
      flush()
      lines.push({ kind: 'same', oldNo: oldNo++, newNo: newNo++, parts: whole(text) })
    }
  }
  flush()
  return lines
}

function whole(text: string): DiffPart[] {
  return text === '' ? [] : [{ text, marked: false }]
}

/** What differs between a line and the one that replaced it; `null` when they have too little in common. */
function wordsOf(
  before: string,
  after: string | undefined,
): { before: DiffPart[]; after: DiffPart[] } | null {
  if (after === undefined || before.length > MAX_WORD_LINE || after.length > MAX_WORD_LINE) return null
  const changes = diffWordsWithSpace(before, after)
  const shared = changes.filter(change => !change.added && !change.removed && change.value.trim() !== '')
  const common = shared.reduce((sum, change) => sum + change.value.trim().length, 0)
  if (common * 3 < Math.min(before.trim().length, after.trim().length)) return null
  const bridges = new Set(changes.filter((change, at) => isBridge(changes, change, at)))
  const marks = (gone: 'added' | 'removed', kept: 'added' | 'removed') =>
    changes
      .filter(change => !change[gone])
      .map(change => ({ text: change.value, marked: change[kept] || bridges.has(change) }))
  const edge = commonSuffix(before, after)
  return {
    before: unmarkEnd(marks('added', 'removed'), edge),
    after: unmarkEnd(marks('removed', 'added'), edge),
  }
}

/** Words end where punctuation does; what both lines end with is no change. */
function unmarkEnd(parts: readonly DiffPart[], edge: number): DiffPart[] {
  const last = parts.at(-1)
  if (last === undefined || !last.marked || edge === 0 || edge >= last.text.length) return [...parts]
  const at = last.text.length - edge
  const tail = { text: last.text.slice(at), marked: false }
  return [...parts.slice(0, -1), { text: last.text.slice(0, at), marked: true }, tail]
}

function commonSuffix(one: string, other: string): number {
  let length = 0
  while (length < Math.min(one.length, other.length) && one.at(-1 - length) === other.at(-1 - length))
    length++
  return length
}

/** A few characters left between two changes: marking them too reads better than three marks in a row. */
function isBridge(changes: readonly Change[], { added, removed, value }: Change, at: number): boolean {
  if (added || removed || value.trim().length > 3 || value.trim() === '') return false
  const before = changes[at - 1]
  const after = changes[at + 1]
  return before !== undefined && after !== undefined && isChange(before) && isChange(after)
}

function isChange({ added, removed }: Change): boolean {
  return added || removed
}

function pathOf(name: string | undefined): string | null {
  if (name === undefined || name === '/dev/null') return null
  return name.replace(/^[ab]\//, '')
}

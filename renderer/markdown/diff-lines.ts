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
  try {
    const files = parsePatch(text)
    if (files.length === 0 || files.every(file => file.hunks.length === 0)) return null
    return files.map(file => ({
      path: pathOf(file.newFileName) ?? pathOf(file.oldFileName) ?? '',
      lines: file.hunks.flatMap(hunkLines),
    }))
  } catch {
    // The parser throws on what is no diff; the caller then shows the text.
    return null
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
  return {
    before: changes
      .filter(change => !change.added)
      .map(change => ({ text: change.value, marked: change.removed || bridges.has(change) })),
    after: changes
      .filter(change => !change.removed)
      .map(change => ({ text: change.value, marked: change.added || bridges.has(change) })),
  }
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

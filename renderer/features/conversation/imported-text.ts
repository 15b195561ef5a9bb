/** A piece of a message as another tool wrote it: what was said, or what the tool put around it. */
export type ImportedPart =
  | { readonly kind: 'text'; readonly text: string }
  /** A slash command, or a shell command that a person ran themselves (`!`). */
  | { readonly kind: 'command'; readonly sign: '/' | '!'; readonly name: string; readonly args: string }
  /** Written for the model. `code`: as a terminal shows it. */
  | { readonly kind: 'note'; readonly label: string; readonly text: string; readonly code: boolean }
  | { readonly kind: 'message'; readonly author: string; readonly text: string }

const NOTES: Readonly<Record<string, { readonly label: string; readonly code: boolean }>> = {
  'local-command-stdout': { label: 'Output of the command', code: true },
  'local-command-stderr': { label: 'Errors of the command', code: true },
  'bash-stdout': { label: 'Output of the command', code: true },
  'bash-stderr': { label: 'Errors of the command', code: true },
  'command-contents': { label: 'Text of the command', code: false },
  'local-command-caveat': { label: 'Note on commands run here', code: false },
  'system-reminder': { label: 'Reminder for the model', code: false },
  ide_opened_file: { label: 'File open in the editor', code: false },
  ide_selection: { label: 'Selection in the editor', code: false },
}

const OPENING = new RegExp(
  `<(command-name|command-message|command-args|bash-input|task-notification|teammate-message|${Object.keys(NOTES).join('|')})(\\s[^<>]{0,400})?>`,
  'g',
)

/**
 * The pieces of a message in their order. Text without such tags is one piece of text, as it is. A tag that is
 * not closed is text, and so is everything after it.
 */
export function importedParts(text: string): readonly ImportedPart[] {
  const parts: ImportedPart[] = []
  let from = 0
  let name: string | null = null
  OPENING.lastIndex = 0
  for (let match = OPENING.exec(text); match !== null; match = OPENING.exec(text)) {
    const [opening, tag = '', attributes = ''] = match
    if (!startsLine(text, from, match.index)) continue
    const end = text.indexOf(`</${tag}>`, match.index + opening.length)
    if (end === -1) break
    addText(parts, text.slice(from, match.index))
    const inside = text.slice(match.index + opening.length, end).trim()
    from = end + tag.length + 3
    OPENING.lastIndex = from
    if (tag === 'command-name') name = inside.replace(/^\//, '')
    const part = tag === 'command-args' ? null : partOf(tag, attributes, inside)
    if (part !== null) parts.push(part)
    if (tag === 'command-args' && name !== null && inside !== '') withArgs(parts, name, inside)
  }
  if (from === 0) return [{ kind: 'text', text }]
  addText(parts, text.slice(from))
  return parts
}

const LONGEST_INDENT = 200

/** Nothing but space stands between `index` and its line's start, or the end of the tag before it. */
function startsLine(text: string, from: number, index: number): boolean {
  const start = Math.max(from, index - LONGEST_INDENT)
  const before = text.slice(start, index)
  const line = before.lastIndexOf('\n')
  return before.slice(line + 1).trim() === '' && (line !== -1 || start === from)
}

function addText(parts: ImportedPart[], text: string): void {
  if (text.trim() !== '') parts.push({ kind: 'text', text: text.trim() })
}

function partOf(tag: string, attributes: string, inside: string): ImportedPart | null {
  switch (tag) {
    case 'command-message':
      return null
    case 'command-name': {
      const name = inside.replace(/^\//, '')
      return name === '' ? null : { kind: 'command', sign: '/', name: name.slice(0, 200), args: '' }
    }
    case 'bash-input':
      return { kind: 'command', sign: '!', name: inside.slice(0, 2000), args: '' }
    case 'teammate-message':
      return { kind: 'message', author: attribute(attributes, 'teammate_id') ?? 'A teammate', text: inside }
    case 'task-notification':
      return {
        kind: 'note',
        label: tagged(inside, 'summary') ?? 'A task ended',
        text: tagged(inside, 'result') ?? inside,
        code: false,
      }
    default: {
      const note = NOTES[tag]
      if (note === undefined) return null
      if (inside === '' || inside === '(no content)')
        return note.code ? { kind: 'note', label: 'The command printed nothing', text: '', code: true } : null
      return { kind: 'note', ...note, text: inside }
    }
  }
}

/** The arguments stand behind the name, sometimes with the command's message between them. */
function withArgs(parts: ImportedPart[], name: string, args: string): void {
  const index = parts.findLastIndex(part => part.kind === 'command' && part.sign === '/')
  if (index === -1) return
  parts[index] = { kind: 'command', sign: '/', name: name.slice(0, 200), args: args.slice(0, 2000) }
}

function tagged(text: string, tag: string): string | undefined {
  const open = text.indexOf(`<${tag}>`)
  if (open === -1) return undefined
  const start = open + tag.length + 2
  const end = text.indexOf(`</${tag}>`, start)
  const inside = end === -1 ? '' : text.slice(start, end).trim()
  return inside === '' ? undefined : inside
}

function attribute(attributes: string, name: string): string | undefined {
  return new RegExp(`\\b${name}="([^"]{1,80})"`).exec(attributes)?.[1]
}

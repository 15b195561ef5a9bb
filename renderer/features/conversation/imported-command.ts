/** A slash command as other tools write it into a person's message; `null` for ordinary text. */
export function importedCommand(text: string): { readonly name: string; readonly args: string } | null {
  if (!text.startsWith('<command-')) return null
  const name = tagged(text, 'command-name')?.replace(/^\//, '')
  return name === undefined || name === '' ? null : { name, args: tagged(text, 'command-args') ?? '' }
}

function tagged(text: string, tag: string): string | undefined {
  const open = text.indexOf(`<${tag}>`)
  if (open === -1) return undefined
  const start = open + tag.length + 2
  const end = text.indexOf(`</${tag}>`, start)
  return end === -1 ? undefined : text.slice(start, end).trim().slice(0, 2000)
}

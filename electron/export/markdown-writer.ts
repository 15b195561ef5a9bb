import type { Content } from '#shared/session/content.ts'
import { Entries } from './entries.ts'
import type { CallEntry, CallResult, Entry } from './entry.ts'
import { jsonText, outcomeOf } from './entry-words.ts'
import type { ExportHead, ExportWriter, Section } from './export-shapes.ts'
import { bytesText, shownLine, shownText, timeText } from './shown-text.ts'

/** A file to read, to paste and to put under version control. Outputs stored beside the log are named, not included. */
export function createMarkdownWriter(): ExportWriter {
  let numbers: ReadonlyMap<string, Section> = new Map()
  let entries = new Entries('', 0)
  const write = (list: readonly Entry[]) => list.map(entry => markdownOf(entry, numbers)).join('')

  return {
    takesOutput: () => false,
    begin(head) {
      numbers = new Map(head.sections.map(section => [section.id, section]))
      return headOf(head)
    },
    open(section, header) {
      entries = new Entries(section.label, header?.seedLength ?? 0)
      return sectionHead(section, header?.createdAt, header?.cwd)
    },
    item: item => write(entries.of(item)),
    close: () => write(entries.end()),
    end: () => '',
  }
}

function headOf({ sections, isTree, isRedacted, exportedAt, version }: ExportHead): string {
  const [root] = sections
  const secrets = isRedacted
    ? 'What looks like a secret was redacted.'
    : '**Not redacted**: this file holds everything, secrets included.'
  const contents = sections.map(
    ({ depth, label, number, state }) =>
      `${'  '.repeat(depth)}- [${inline(label)}](#session-${number}), ${inline(state)}\n`,
  )
  return [
    `# ${inline(root?.label ?? 'Session')}\n\n`,
    `Exported by Espalier ${version}, ${timeText(exportedAt)}. ${secrets}\n\n`,
    ...(isTree && sections.length > 1 ? ['## Contents\n\n', ...contents, '\n'] : []),
  ].join('')
}

function sectionHead(section: Section, createdAt: number | undefined, cwd: string | undefined): string {
  const { number, label, id, mode, state } = section
  const facts = [
    `- Session: ${code(id)}`,
    ...(mode === null || mode === 'session' ? [] : [`- Mode: ${mode}`]),
    ...(createdAt === undefined ? [] : [`- Created: ${timeText(createdAt)}`]),
    ...(cwd === undefined ? [] : [`- Folder: ${code(cwd)}`]),
    `- State: ${inline(state)}`,
  ]
  return `<a id="session-${number}"></a>\n\n## ${inline(label)}\n\n${facts.join('\n')}\n\n`
}

function markdownOf(entry: Entry, sections: ReadonlyMap<string, Section>): string {
  switch (entry.kind) {
    case 'message':
      return `**${inline(entry.author)}** ${timeText(entry.time)}\n\n${contentOf(entry.content)}\n\n`
    case 'thinking':
      return folded('Thinking', quote(entry.text))
    case 'call':
      return callOf(entry, sections)
    case 'note':
      return entry.tone === 'warning'
        ? `> **Damaged:** ${inline(entry.text)}\n\n`
        : `*${inline(entry.text)}*\n\n`
    case 'json':
      return folded(entry.title, fence(jsonText(entry.value), 'json'))
    case 'output':
      return ''
  }
}

function contentOf(content: Content): string {
  return content
    .map(block =>
      block.type === 'text'
        ? quote(block.text)
        : `*An image (${inline(block.mediaType)}, ${bytesText(Math.floor((block.data.length * 3) / 4))}), not in this file*`,
    )
    .join('\n\n')
}

function callOf({ line, input, result, childId }: CallEntry, sections: ReadonlyMap<string, Section>): string {
  const child = childId === null ? undefined : sections.get(childId)
  const parts = [
    ...(input === null ? [] : ['Input:', fence(jsonText(input), 'json')]),
    ...(result === null ? [] : resultOf(result)),
  ]
  const link = child === undefined ? '' : `Child: [${inline(child.label)}](#session-${child.number})\n\n`
  return folded(`${line} — ${outcomeOf(result)}`, parts.join('\n\n')) + link
}

function resultOf({ content, diff, output }: CallResult): readonly string[] {
  const texts = content.map(block =>
    block.type === 'text'
      ? fence(shownText(block.text), 'text')
      : `*An image (${inline(block.mediaType)}), not in this file*`,
  )
  return [
    ...(texts.length > 0 ? ['Output:', ...texts] : []),
    ...(output === null
      ? []
      : [`*The whole output has ${bytesText(output.bytes)}; it is not in this file.*`]),
    ...(diff === null ? [] : ['Change:', fence(shownText(diff), 'diff')]),
  ]
}

function folded(summary: string, body: string): string {
  return `<details><summary>${escapeTags(shownLine(summary))}</summary>\n\n${body}\n\n</details>\n\n`
}

/** A fence longer than any inside: nothing in `text` ends it. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const ticks = '`'.repeat(longest + 1)
  return `${ticks}${language}\n${text}\n${ticks}`
}

/** On every line the mark of a quotation: whatever stands in the text stays inside. Tags are shown, not obeyed. */
function quote(text: string): string {
  let open: string | null = null
  const lines = shownText(text)
    .split('\n')
    .map(line => {
      const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? null
      if (open === null && mark !== null) open = mark
      else if (open !== null && mark?.startsWith(open) && line.trim() === mark) open = null
      return open === null && mark === null ? line.replaceAll(/<(?=[A-Za-z/!?])/g, '\\<') : line
    })
  return lines.map(line => `> ${line}`).join('\n')
}

/** One line of text that is nothing but text. */
function inline(text: string): string {
  return shownLine(text).replaceAll(/[\\`*_{}[\]<>#|!~&]/g, '\\$&')
}

function code(text: string): string {
  return `\`${shownLine(text).replaceAll('`', "'")}\``
}

function escapeTags(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

import type { Content } from '#shared/session/content.ts'
import { Entries } from './entries.ts'
import type { CallEntry, CallResult, Entry } from './entry.ts'
import { jsonText, outcomeOf } from './entry-words.ts'
import type { ExportHead, ExportWriter, Section } from './export-shapes.ts'
import { STYLE } from './html-style.ts'
import { bytesText, shownLine, shownText, timeText } from './shown-text.ts'

/** Outputs beside the log up to this size are in the file; larger ones are named. */
const MOST_OUTPUT_BYTES = 262_144

/** Nothing in the file runs, and nothing is fetched: images are in it. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** One self-contained page without a script. Everything of a log is text in it: never a tag, never an attribute. */
export function createHtmlWriter(): ExportWriter {
  let sections: ReadonlyMap<string, Section> = new Map()
  let entries = new Entries('', 0)
  const write = (list: readonly Entry[]) => list.map(entry => htmlOf(entry, sections)).join('')

  return {
    takesOutput: bytes => bytes <= MOST_OUTPUT_BYTES,
    begin(head) {
      sections = new Map(head.sections.map(section => [section.id, section]))
      return pageHead(head)
    },
    open(section, header) {
      entries = new Entries(section.label, header?.seedLength ?? 0)
      return sectionHead(section, header?.createdAt, header?.cwd)
    },
    item: item => write(entries.of(item)),
    close: () => `${write(entries.end())}</section>\n`,
    end: ({ sessions, events }) =>
      `<footer class="note">${sessions} ${sessions === 1 ? 'session' : 'sessions'}, ${events} events.</footer>\n</body>\n</html>\n`,
  }
}

function pageHead({ sections, isTree, isRedacted, exportedAt, version }: ExportHead): string {
  const title = line(sections[0]?.label ?? 'Session')
  const secrets = isRedacted
    ? 'What looks like a secret was redacted.'
    : '<strong>Not redacted</strong>: this file holds everything, secrets included.'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<p>Exported by Espalier ${line(version)}, ${timeText(exportedAt)}. ${secrets}</p>
${isTree && sections.length > 1 ? contents(sections) : ''}`
}

function contents(sections: readonly Section[]): string {
  const items = sections.map(
    ({ depth, number, label, state }) =>
      `<li class="depth-${Math.min(depth, 11)}"><a href="#session-${number}">${line(label)}</a> <small>${line(state)}</small></li>\n`,
  )
  return `<nav aria-label="Contents">\n<h2>Contents</h2>\n<ol>\n${items.join('')}</ol>\n</nav>\n`
}

function sectionHead(section: Section, createdAt: number | undefined, cwd: string | undefined): string {
  const { number, label, id, mode, state } = section
  const facts = [
    ['Session', id],
    ...(mode === null || mode === 'session' ? [] : [['Mode', mode]]),
    ...(createdAt === undefined ? [] : [['Created', timeText(createdAt)]]),
    ...(cwd === undefined ? [] : [['Folder', cwd]]),
    ['State', state],
  ].map(([name = '', value = '']) => `<dt>${name}</dt><dd>${line(value)}</dd>`)
  return `<section id="session-${number}">\n<h2>${line(label)}</h2>\n<dl>${facts.join('')}</dl>\n`
}

function htmlOf(entry: Entry, sections: ReadonlyMap<string, Section>): string {
  switch (entry.kind) {
    case 'message': {
      const { author, time, content } = entry
      const place = author === 'You' ? ' class="person"' : ''
      return `<article${place}><header>${line(author)}<time>${timeText(time)}</time></header>${contentOf(content)}</article>\n`
    }
    case 'thinking':
      return folded('Thinking', `<div class="text">${block(entry.text)}</div>`)
    case 'call':
      return callOf(entry, sections)
    case 'note':
      return `<p class="${entry.tone === 'warning' ? 'warning' : 'note'}">${line(entry.text)}</p>\n`
    case 'json':
      return folded(entry.title, `<pre>${block(jsonText(entry.value))}</pre>`)
    case 'output':
      return `<pre>${block(entry.text)}</pre>\n`
  }
}

/** Fenced code stands as code; all else as it was written. */
function contentOf(content: Content): string {
  return content
    .map(part => (part.type === 'text' ? textOf(part.text) : imageOf(part.mediaType, part.data)))
    .join('')
}

function textOf(text: string): string {
  const parts = text.split(/^ {0,3}(`{3,}|~{3,})[^\n]*\n([\s\S]*?)^ {0,3}\1[`~]*[ \t]*$/m)
  return parts
    .map((part, index) => {
      if (index % 3 === 1 || part.trim() === '') return ''
      return index % 3 === 2 ? `<pre>${block(part)}</pre>` : `<div class="text">${block(part.trim())}</div>`
    })
    .join('')
}

function imageOf(mediaType: string, data: string): string {
  if (!IMAGE_TYPES.has(mediaType) || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) {
    return `<p class="note">An image (${line(mediaType)}, ${bytesText(Math.floor((data.length * 3) / 4))}) that is not shown.</p>`
  }
  return `<p><img alt="Image" src="data:${mediaType};base64,${data}"></p>`
}

function callOf(
  { line: words, input, result, childId }: CallEntry,
  sections: ReadonlyMap<string, Section>,
): string {
  const child = childId === null ? undefined : sections.get(childId)
  const body = [
    ...(input === null ? [] : [`<pre>${block(jsonText(input))}</pre>`]),
    ...(result === null ? [] : resultOf(result)),
  ]
  const link =
    child === undefined
      ? ''
      : `<p class="note">Child: <a href="#session-${child.number}">${line(child.label)}</a></p>\n`
  return folded(`${words} — ${outcomeOf(result)}`, body.join(''), result?.status === 'error') + link
}

function resultOf({ content, diff, output }: CallResult): readonly string[] {
  const whole = output !== null && output.bytes <= MOST_OUTPUT_BYTES && output.binary !== true
  return [
    ...content.map(part =>
      part.type === 'text' ? `<pre>${block(part.text)}</pre>` : imageOf(part.mediaType, part.data),
    ),
    ...(output === null
      ? []
      : [
          `<p class="note">The whole output has ${bytesText(output.bytes)}${whole ? ' and follows.' : '; it is not in this file.'}</p>`,
        ]),
    ...(diff === null ? [] : [`<pre>${block(diff)}</pre>`]),
  ]
}

function folded(summary: string, body: string, isFailed = false): string {
  return `<details${isFailed ? ' class="failed"' : ''}><summary>${line(summary)}</summary>${body}</details>\n`
}

function line(text: string): string {
  return escapeText(shownLine(text))
}

function block(text: string): string {
  return escapeText(shownText(text))
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** For the inside of elements and of quoted attributes. */
function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, char => ESCAPES[char] ?? '')
}

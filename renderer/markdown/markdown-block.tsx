import type { ReactElement } from 'react'
import Markdown, { type Components } from 'react-markdown'
import rehypeSanitize from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'
import { markdownComponents, openComponents } from './markdown-components.tsx'
import { rawHtmlAsText } from './raw-html-as-text.ts'
import { imageSource, safeLink } from './safe-url.ts'
import { sanitizeSchema } from './sanitize-schema.ts'

const MAX_KEPT = 600
const kept = new Map<string, ReactElement>()

/** The elements of one finished piece of markdown; the same text gives the same elements, parsed once. */
export function settledBlock(text: string): ReactElement {
  const known = kept.get(text)
  if (known !== undefined) {
    kept.delete(text)
    kept.set(text, known)
    return known
  }
  const element = parse(text, markdownComponents)
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? '')
  kept.set(text, element)
  return element
}

/** A piece that still grows. */
export function openBlock(text: string): ReactElement {
  return parse(text, openComponents)
}

/** `Markdown` is a plain function of its options: called as one, its result can be kept. */
function parse(text: string, components: Components): ReactElement {
  return Markdown({
    children: text,
    components,
    remarkPlugins: [remarkGfm],
    rehypePlugins: [rawHtmlAsText, [rehypeSanitize, sanitizeSchema]],
    urlTransform: (url, key) =>
      key === 'src' ? (imageSource(url) === null ? '' : url) : (safeLink(url) ?? ''),
  })
}

const LINK_PROTOCOLS = new Set(['http:', 'https:', 'mailto:'])
const INLINE_IMAGE = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/

/** The absolute target of a link people may follow, or `null` for any other scheme and for relative ones. */
export function safeLink(href: string | undefined): string | null {
  const url = parse(href)
  return url !== null && LINK_PROTOCOLS.has(url.protocol) ? url.href : null
}

export type ImageSource =
  | { readonly kind: 'inline'; readonly src: string }
  | { readonly kind: 'remote'; readonly href: string; readonly host: string }

/** Bytes that came with the message, or an address that nothing loads by itself; `null` for all else. */
export function imageSource(src: string | undefined): ImageSource | null {
  if (src !== undefined && INLINE_IMAGE.test(src)) return { kind: 'inline', src }
  const url = parse(src)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  return { kind: 'remote', href: url.href, host: url.host }
}

/** The host a link goes to when its text names another one. */
export function misleadingHost(text: string, href: string): string | null {
  const named = /^\s*(?:https?:\/\/)?((?:[\p{L}\d-]+\.)+\p{L}{2,})(?:[/:?#].*)?$/iu.exec(text)?.[1]
  const host = parse(href)?.host ?? ''
  if (named === undefined || host === '') return null
  const bare = (name: string) => name.toLowerCase().replace(/^www\./, '')
  return bare(parse(`https://${named}`)?.host ?? named) === bare(host) ? null : host
}

function parse(address: string | undefined): URL | null {
  return address === undefined ? null : URL.parse(address)
}

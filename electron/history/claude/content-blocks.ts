import type { Content } from '#shared/session/content.ts'
import { asRecord, type JsonRecord, type JsonValue, recordField, textField } from '../json-fields.ts'

export const MAX_IMAGE_BYTES = 8 << 20

/** Blocks of a user message or a tool result. What is neither text nor an image kept becomes a line of text. */
export function toContent(blocks: readonly JsonValue[]): Content {
  return blocks.map(value => {
    const block = asRecord(value)
    if (block === null) return text(typeof value === 'string' ? value : JSON.stringify(value))
    const type = textField(block, 'type')
    if (type === 'text') return text(textField(block, 'text') ?? '')
    if (type === 'image') return image(recordField(block, 'source'))
    if (type === 'document') return text(`[document, ${sizeOf(recordField(block, 'source'))}, not imported]`)
    return text(JSON.stringify(block))
  })
}

function text(value: string): Content[number] {
  return { type: 'text', text: value }
}

/** Anything but base64 of an image type of reasonable size is named, never loaded. */
function image(source: JsonRecord | null): Content[number] {
  const mediaType = textField(source, 'media_type') ?? ''
  const data = textField(source, 'data') ?? ''
  const url = textField(source, 'url')
  if (url !== null) return text(`[image at ${url.slice(0, 500).toWellFormed()}, not loaded]`)
  if (bytesOf(data) > MAX_IMAGE_BYTES) return text(`[image, ${sizeOf(source)}, too big to import]`)
  const isImage = /^image\/[\w.+-]{1,60}$/.test(mediaType) && /^[A-Za-z0-9+/]+={0,2}$/.test(data)
  return isImage ? { type: 'image', mediaType, data } : text('[image that cannot be shown]')
}

function bytesOf(base64: string): number {
  return Math.floor(base64.length * 0.75)
}

function sizeOf(source: JsonRecord | null): string {
  const bytes = bytesOf(textField(source, 'data') ?? '')
  return bytes < 1 << 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`
}

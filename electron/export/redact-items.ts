import { redactJson } from '#shared/redaction/redact-json.ts'
import { redactText } from '#shared/redaction/redact-text.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { LogItem, Section } from './export-shapes.ts'

export interface Redaction {
  item(item: LogItem): LogItem
  section(section: Section): Section
  /** Of a header: a folder may be named after anything. */
  value<T>(value: T): T
}

/** What an export may hold. Places, times, types and ids are facts of the log and stay; outputs are redacted as they are read. */
export function createRedaction(known: readonly string[]): Redaction {
  const options = { known }
  const event = (stored: StoredEvent): StoredEvent => ({ ...stored, data: redactJson(stored.data, options) })
  return {
    item(item) {
      switch (item.kind) {
        case 'event':
        case 'closer':
          return { ...item, event: event(item.event) }
        case 'row':
          return { ...item, text: redactText(item.text, options) }
        case 'problem':
          return { ...item, sentence: redactText(item.sentence, options) }
        case 'damage':
        case 'output':
          return item
      }
    },
    section: section => ({ ...section, label: redactText(section.label, options) }),
    value: value => redactJson(value, options) as typeof value,
  }
}

export const NO_REDACTION: Redaction = {
  item: item => item,
  section: section => section,
  value: value => value,
}

import { isTrue, type JsonRecord, recordField, textField } from '../json-fields.ts'

/** One line of a transcript with the fields that decide its place. `value` is the whole line. */
export interface Line {
  /** From 1, in its file. */
  readonly no: number
  readonly type: string
  readonly uuid: string | null
  /** After a compaction the chain goes on at `logicalParentUuid`. */
  readonly parent: string | null
  /** Epoch milliseconds. */
  readonly time: number | null
  readonly sidechain: boolean
  readonly message: JsonRecord | null
  readonly value: JsonRecord
}

export function toLine(value: JsonRecord, no: number): Line {
  return {
    no,
    type: textField(value, 'type') ?? '',
    uuid: textField(value, 'uuid'),
    parent: textField(value, 'parentUuid') ?? textField(value, 'logicalParentUuid'),
    time: timeOf(textField(value, 'timestamp')),
    sidechain: isTrue(value, 'isSidechain'),
    message: recordField(value, 'message'),
    value,
  }
}

/** A line people see as part of the conversation. */
export function isMessage(line: Line): boolean {
  return (line.type === 'user' || line.type === 'assistant') && line.message !== null
}

/** What a line says, whatever file or session it stands in. */
export function wordsOf({ type, time, message, value }: Line): string {
  return JSON.stringify([type, time, message ?? value])
}

export function firstText(lines: readonly Line[], key: string): string | null {
  for (const line of lines) {
    const text = textField(line.value, key)
    if (text !== null && text !== '') return text
  }
  return null
}

export function firstTime(lines: readonly Line[]): number | null {
  return lines.find(line => line.time !== null)?.time ?? null
}

function timeOf(text: string | null): number | null {
  if (text === null) return null
  const time = Math.floor(Date.parse(text))
  return Number.isNaN(time) || time < 0 ? null : time
}

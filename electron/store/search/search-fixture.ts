import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UNITS } from '#shared/projection/units.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { encodeEvents } from '../encode.ts'
import { openSqliteBackend } from '../sqlite/sqlite-backend.ts'
import { searchFile } from './search-file.ts'
import { SearchIndex } from './search-index.ts'
import type { SearchRequest } from './search-reads.ts'

/** Real logs in a real database, and an index over them, all in this thread. */
export function openLogs(folder = mkdtempSync(join(tmpdir(), 'espalier-search-'))) {
  const backend = openSqliteBackend({ dataFolder: folder, units: UNITS, readOnly: false })
  const { writes } = backend.methods
  const notes: string[] = []
  const ends = new Map<string, number>()
  let index = openIndex()

  function openIndex(readOnly = false): SearchIndex {
    return new SearchIndex({
      file: searchFile(folder),
      source: backend.logSource,
      readOnly,
      note: sentence => notes.push(sentence),
    })
  }

  return {
    folder,
    file: searchFile(folder),
    notes,
    source: backend.logSource,
    writes,
    get index() {
      return index
    },
    create(id: string, items: Items, facts: Partial<SessionHeader> = {}): void {
      const header: SessionHeader = { version: 1, id: toSessionId(id), createdAt: 1000, ...facts }
      writes.create(header, encoded(0, items))
      ends.set(id, items.length)
      index.touch(id)
    },
    append(id: string, items: Items): void {
      const from = ends.get(id) ?? 0
      writes.append([{ sessionId: toSessionId(id), events: encoded(from, items) }])
      ends.set(id, from + items.length)
      index.touch(id)
    },
    /** Until there is nothing to do. */
    build(): void {
      for (let steps = 0; index.step() === 0; steps += 1)
        if (steps > 100_000) throw new Error('it never ends')
    },
    find(text: string, more: Partial<SearchRequest> = {}): string[] {
      const { events } = index.query({ text, limit: 1000, cursor: null, sessions: null, ...more })
      return events.map(({ sessionId, seq }) => `${sessionId} ${seq}`)
    },
    reopen(readOnly = false): void {
      index.close()
      index = openIndex(readOnly)
    },
    close(): void {
      index.close()
      backend.close()
    },
    remove(): void {
      index.close()
      backend.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
export type OpenLogs = ReturnType<typeof openLogs>

/** Types and data; times count up from `TIME`. */
export type Items = readonly (readonly [type: string, data: unknown, time?: number])[]
export const TIME = 1_790_000_000_000

export const user = (text: string, time?: number): Items[number] =>
  [
    'user/message',
    { id: 'u', source: { kind: 'person' }, content: [{ type: 'text', text }] },
    ...(time === undefined ? [] : [time]),
  ] as unknown as Items[number]

function encoded(from: number, items: Items) {
  const events: StoredEvent[] = items.map(([type, data, time], at) => ({
    seq: from + at,
    time: time ?? TIME + from + at,
    type,
    data,
  }))
  const steps = encodeEvents(from, events)
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value
}

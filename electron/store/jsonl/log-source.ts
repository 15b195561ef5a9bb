import type { EventRow } from '../event-rows.ts'
import type { LogFacts, LogSource } from '../search/log-source.ts'
import { endOf } from './folder-logs.ts'
import type { Marks } from './marks.ts'
import type { Entry, SessionFolders } from './session-folders.ts'

export function createFolderLogSource(folders: SessionFolders, marks: Marks): LogSource {
  function factsOf(entry: Entry): LogFacts {
    const { key, id, header, place } = entry
    const { end, time } = endOf(entry)
    return {
      key,
      id,
      endSeq: end,
      cuts: marks.cuts.get(id) ?? 0,
      seedLength: header.kind === 'header' ? (header.header.seedLength ?? 0) : 0,
      createdAt: place.createdAt,
      lastTime: time ?? place.createdAt,
      isTrashed: marks.trashed.has(id),
    }
  }

  return {
    sessions: (after, limit) => folders.after(after, limit).map(factsOf),
    session: id => {
      const entry = folders.get(id)
      return entry === undefined ? null : factsOf(entry)
    },
    rows: (key, fromSeq, limit) => {
      const rows: EventRow[] = []
      for (const row of folders.at(key).log?.rows(fromSeq) ?? []) {
        if (rows.length === limit) break
        rows.push(row)
      }
      return rows
    },
  }
}

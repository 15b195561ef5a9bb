import { setTimeout } from 'node:timers/promises'
import type { SessionSummary } from '#shared/contract/session-shapes.ts'
import { wireEvents } from '#shared/session/wire-events.ts'
import { listChildren } from '../subagent/catalog/list-children.ts'
import type { Workbench } from '../workbench.ts'

/** The first sessions of a window are painted by then. */
const AFTER_MS = 150
const PAGE = 200

/**
 * The first page and the first listing of a process take several times as long as the next, since their code is compiled
 * meanwhile. Reads once what a person is likely to open, so that nobody waits for that; nothing comes of it.
 */
export function createWarmUp({
  catalog,
  history,
}: Pick<Workbench, 'catalog' | 'history'>): (shown: readonly SessionSummary[]) => void {
  let isWarm = false

  async function read(shown: readonly SessionSummary[]): Promise<void> {
    await setTimeout(AFTER_MS, undefined, { ref: false })
    for (const { header } of latest(shown)) {
      const rows = await listChildren(catalog, header.id, { with: ['facts', 'warnings', 'detail'] })
      for (const id of [header.id, ...rows.slice(0, 1).map(row => row.id)]) {
        const page = await history.page(id, { limit: PAGE })
        JSON.stringify(wireEvents(page.events))
      }
    }
  }

  return shown => {
    if (isWarm || shown.length === 0) return
    isWarm = true
    // What cannot be read, or is gone when Espalier closes, is told to whoever opens it.
    read(shown).catch(() => undefined)
  }
}

/** A few of those with children. */
function latest(shown: readonly SessionSummary[]): readonly SessionSummary[] {
  const parents = shown.filter(({ hasChildren }) => hasChildren)
  return (parents.length > 0 ? parents : shown).slice(0, 3)
}

import type { RecordReport } from '#shared/contract/session-shapes.ts'
import { shortId } from '#shared/session/ids.ts'
import type { Damage } from '#shared/session/inspection.ts'
import { type DiagnosticEntry, diagnosticReason, diagnosticWord } from '#shared/subagent/diagnostic-words.ts'
import { plural } from '../../ui/format.ts'

/**
 * Events that can be opened. The record's own count ends at the first damage; what stands behind a gap is shown
 * all the same.
 */
export function readableOf({ readable, stated, damage }: RecordReport): number {
  const lost = damage.reduce((sum, one) => sum + lostIn(one), 0)
  return Math.max(readable, stated - lost, 0)
}

function lostIn(damage: Damage): number {
  if (damage.kind === 'damaged-tail') return damage.lost
  return damage.kind === 'log-gap' ? damage.toSeq - damage.fromSeq + 1 : 1
}

/** What is wrong, in two sentences that name the record and what is left of it. */
export function leadOf(entry: DiagnosticEntry | null, report: RecordReport): string {
  const left = `Of its ${plural(report.stated, 'event')}, ${readableOf(report)} can be read.`
  return `${causeOf(entry)} ${report.stated > 0 ? left : 'Nothing of it can be read.'}`
}

function causeOf(entry: DiagnosticEntry | null): string {
  if (entry === null) return 'The head of this record cannot be read.'
  const id = shortId(entry.id)
  switch (entry.detail?.cause) {
    case 'descriptor-missing':
      return `The descriptor of ${id} is missing, so its name and mode are unknown and it cannot be resumed.`
    case 'descriptor-malformed':
      return `The descriptor of ${id} is malformed, so its name and mode are unknown and it cannot be resumed.`
    case 'descriptor-version':
      return `${id} was written by a newer version of Espalier. Update to work with it.`
    case 'unit-fault':
      return `What is known of ${id} cannot be computed from its log.`
    case 'header-changed':
      return `The header of ${id} differs from the one it was listed with.`
    case 'log-gap':
      return `Events are missing in the log of ${id}. Both sides of the gap can be opened.`
    case 'log-undecodable':
      return `An event in the log of ${id} cannot be decoded. Both sides of it can be opened.`
    case 'read-failed':
      return `Reading ${id} failed (${entry.detail.code}). It may work the next time.`
    case undefined:
      return `${id}: ${diagnosticReason(entry)}.`
  }
}

export function titleOf(entry: DiagnosticEntry | null): string {
  if (entry === null || diagnosticWord(entry) === 'Record damaged') return 'This record is damaged'
  return 'This record is temporarily unavailable'
}

export function damageText(damage: Damage): string {
  switch (damage.kind) {
    case 'damaged-tail':
      return `${plural(damage.lost, 'event')} from ${damage.fromSeq} on cannot be read`
    case 'log-gap':
      return damage.fromSeq === damage.toSeq
        ? `Event ${damage.fromSeq} is missing`
        : `Events ${damage.fromSeq}–${damage.toSeq} are missing`
    case 'log-undecodable':
      return `Event ${damage.seq} cannot be decoded`
  }
}

export type Cell = 'ok' | 'gone' | 'lost'

/** The log as at most `count` cells, each as bad as the worst event in it. */
export function cellsOf(report: RecordReport, count: number): readonly Cell[] {
  const { stated, damage } = report
  if (stated <= 0) return []
  const cells = Array.from<Cell>({ length: Math.min(count, stated) }).fill('ok')
  const mark = (from: number, to: number, cell: Cell) => {
    const first = Math.floor((Math.max(0, from) / stated) * cells.length)
    const last = Math.floor((Math.min(stated - 1, to) / stated) * cells.length)
    for (let index = first; index <= last; index += 1) if (cells[index] !== 'gone') cells[index] = cell
  }
  for (const one of damage) {
    if (one.kind === 'damaged-tail') mark(one.fromSeq, one.fromSeq + one.lost - 1, 'lost')
    else if (one.kind === 'log-gap') mark(one.fromSeq, one.toSeq, 'gone')
    else mark(one.seq, one.seq, 'gone')
  }
  return cells
}

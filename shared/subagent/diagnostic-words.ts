import type { DiagnosticDetail, SubagentListEntry } from './catalog-entry.ts'

export type DiagnosticEntry = Extract<SubagentListEntry, { kind: 'diagnostic' }>

/** "Record damaged", or "Temporarily unavailable" when reading failed and may work the next time. */
export function diagnosticWord(entry: Pick<DiagnosticEntry, 'reason' | 'detail'>): string {
  const passing = entry.reason === 'unavailable' && entry.detail?.cause === 'read-failed'
  return passing ? 'Temporarily unavailable' : 'Record damaged'
}

/** Why a record cannot be read, in a few words that follow its id. */
export function diagnosticReason(entry: Pick<DiagnosticEntry, 'reason' | 'detail'>): string {
  if (entry.detail === undefined) return REASONS[entry.reason]
  return detailWords(entry.detail)
}

const REASONS: Readonly<Record<DiagnosticEntry['reason'], string>> = {
  corrupt: 'identity unreadable',
  unsupported: 'written by a newer version',
  unavailable: 'could not be read',
}

function detailWords(detail: DiagnosticDetail): string {
  switch (detail.cause) {
    case 'descriptor-missing':
      return 'descriptor missing'
    case 'descriptor-malformed':
      return 'descriptor malformed'
    case 'descriptor-version':
      return 'written by a newer version'
    case 'unit-fault':
      return `${detail.unit} cannot be computed`
    case 'header-changed':
      return 'header changed'
    case 'log-gap':
      return 'a gap in the log'
    case 'log-undecodable':
      return 'an unreadable event in the log'
    case 'read-failed':
      return `reading failed (${detail.code})`
  }
}

import { shortId } from '#shared/session/ids.ts'
import { rowState, STATUS_WORDS } from '#shared/session/status.ts'
import type {
  Activity,
  ChildWarning,
  SessionFacts,
  SubagentListEntry,
} from '#shared/subagent/catalog-entry.ts'
import { diagnosticReason, diagnosticWord } from '#shared/subagent/diagnostic-words.ts'
import { durationText, tokensText } from './numbers.ts'
import { cutTo } from './plain-text.ts'

/** A label never takes more of a line than this. */
const LABEL_COLUMNS = 60

const WARNING_WORDS: Readonly<Record<ChildWarning, string>> = {
  'several-descriptors': 'several descriptors',
  'identity-from-seed': 'identity inherited',
  'damaged-tail': 'its end is damaged',
  'header-conflict': 'header conflict',
  'lineage-cycle': 'cycle in its parents',
  'folder-missing': 'folder missing',
}

export function statusWord(facts: SessionFacts | undefined, activity: Activity): string {
  return STATUS_WORDS[rowState(facts?.outcome, activity)]
}

/** Elapsed time in turns and tokens, as the sidebar has them. What is not known stays empty. */
export function numbersOf(facts: SessionFacts | undefined, now: number): [elapsed: string, tokens: string] {
  const { timing, tokens } = facts ?? {}
  const open = timing?.runningSince ? Math.max(0, now - timing.runningSince) : 0
  const elapsed = timing === undefined ? '' : durationText(timing.settledMs + open)
  return [elapsed, tokens ? tokensText(tokens) : '']
}

export function labelCell(label: string): string {
  return cutTo(LABEL_COLUMNS, label)
}

/** One row of a listing: id, mode, status, elapsed, tokens, label, warnings or the reason in words. */
export function childCells(entry: SubagentListEntry, now: number): string[] {
  if (entry.kind === 'diagnostic') {
    const name = labelCell(entry.label ?? entry.title ?? shortId(entry.id))
    return [entry.id, '', diagnosticWord(entry), '', '', name, diagnosticReason(entry)]
  }
  const { id, mode, facts, activity, warnings = [] } = entry
  const label = labelCell(entry.label ?? shortId(id))
  const notes = warnings.map(warning => WARNING_WORDS[warning]).join(', ')
  return [id, mode, statusWord(facts, activity), ...numbersOf(facts, now), label, notes]
}

import { shortId } from '#shared/session/ids.ts'
import type { ChildWarning } from '#shared/subagent/catalog-entry.ts'
import { type DiagnosticEntry, diagnosticReason, diagnosticWord } from '#shared/subagent/diagnostic-words.ts'
import { rollupText } from '../ui/rollup-mark.tsx'
import { diagnosticLabel } from './listed.ts'
import type { AnyView, SessionView } from './session-view.ts'

const WARNINGS: Readonly<Record<ChildWarning, string>> = {
  'several-descriptors': 'several descriptors',
  'identity-from-seed': 'identity inherited',
  'damaged-tail': 'end of record damaged',
  'header-conflict': 'header conflict',
  'lineage-cycle': 'lineage cycle',
  'folder-missing': 'folder missing',
}

export function warningWords(warnings: readonly ChildWarning[]): string {
  return warnings.map(warning => WARNINGS[warning]).join(', ')
}

/** The accessible name of a row: `<label>, <mode>, <status>[, <warning>]`, or the three parts of a diagnostic. */
export function rowName(view: AnyView): string {
  if (view.kind === 'diagnostic') return diagnosticName(view.entry)
  const parts = [
    view.label,
    view.mode,
    view.status.word,
    warningWords(view.warnings),
    rollupText(view.rollup),
  ]
  return parts.filter(part => part !== '').join(', ')
}

export function diagnosticName(entry: DiagnosticEntry): string {
  return `${diagnosticWord(entry)}, ${shortId(entry.id)}, ${diagnosticReason(entry)}`
}

/** How a row is called in menus, palettes and button names. */
export function labelOf(view: AnyView): string {
  return view.kind === 'diagnostic' ? diagnosticLabel(view.entry) : view.label
}

/** The second line: words, then what they act on in mono. */
export interface SecondLine {
  readonly tone: 'plain' | 'asks' | 'reason'
  readonly words: string
  readonly code: string
  readonly end: string
}

/** What it does now or what it asks; `null` for a row of one line. */
export function secondLine(view: AnyView, activeChildren: number): SecondLine | null {
  if (view.kind === 'diagnostic') {
    const reason = diagnosticReason(view.entry)
    const named = view.entry.label ?? view.entry.title
    const end = named === undefined ? ` · ${reason}` : ` · ${named} · ${reason}`
    return { tone: 'reason', words: '', code: shortId(view.id), end }
  }
  const live = liveLine(view, activeChildren)
  if (live !== null) return live
  // A missing folder matters to what may go on; in a row of a one-shot it is only noise.
  const told =
    view.mode === 'one-shot' ? view.warnings.filter(one => one !== 'folder-missing') : view.warnings
  if (told.length === 0) return null
  return { tone: 'reason', words: capitalised(warningWords(told)), code: '', end: '' }
}

function liveLine(view: SessionView, activeChildren: number): SecondLine | null {
  const { doing, status, facts } = view
  if (status.state === 'waiting') {
    if (doing === null) return { tone: 'asks', words: 'Waits for your answer', code: '', end: '' }
    return {
      tone: 'asks',
      words: `${doing.kind === 'thinking' ? 'Continue' : doing.verb} `,
      code: target(doing),
      end: '?',
    }
  }
  if (status.state !== 'running') return null
  if (facts.outcome?.kind === 'waiting') {
    const whom =
      activeChildren > 0 ? `${activeChildren} ${activeChildren === 1 ? 'child' : 'children'}` : 'its children'
    return { tone: 'plain', words: `Waits for ${whom}`, code: '', end: '' }
  }
  if (doing === null || doing.kind === 'thinking')
    return { tone: 'plain', words: 'Thinking', code: '', end: '' }
  return { tone: 'plain', words: `${doing.verb} `, code: target(doing), end: '' }
}

function target(doing: NonNullable<SessionView['doing']>): string {
  return doing.kind === 'thinking' ? '' : doing.target
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

import { memo, type ReactNode } from 'react'
import { plural } from '../../ui/format.ts'
import { DelegateCard } from './delegate-card.tsx'
import { Compaction, Gap, Note, Opaque, TurnEnd } from './divider.tsx'
import { Fold } from './fold.tsx'
import { AnswerText, SaidCommand, SaidMessage } from './message-row.tsx'
import { CutTexts } from './output/cut-texts.tsx'
import type { ApprovalRow, MessageRow, Row } from './row.ts'
import { Thinking } from './thinking-row.tsx'
import { ToolLine } from './tool-line.tsx'

export interface RowContext {
  /** Who writes the answers. */
  readonly label: string
  /** Who a message is from: the label of another session, by its id. */
  readonly authorOf: (row: MessageRow) => string
  readonly contextFrom: string
  readonly onToggle: (key: string) => void
  readonly renderApproval: (row: ApprovalRow) => ReactNode
}

interface RowViewProps {
  readonly row: Row
  readonly open: boolean
  readonly joinsAbove: boolean
  readonly joinsBelow: boolean
  readonly context: RowContext
}

export const RowView = memo(function RowView(props: RowViewProps) {
  const { row } = props
  // A call shows what was shortened among its details.
  if (row.cut === undefined || row.kind === 'tool') return <WholeRow {...props} />
  return (
    <>
      <WholeRow {...props} />
      <CutTexts seq={row.seq} cuts={row.cut} />
    </>
  )
})

function WholeRow({ row, open, joinsAbove, joinsBelow, context }: RowViewProps) {
  const { onToggle } = context
  switch (row.kind) {
    case 'message':
      return <SaidMessage row={row} author={context.authorOf(row)} />
    case 'command':
      return <SaidCommand row={row} />
    case 'text':
      return <AnswerText row={row} author={context.label} />
    case 'thinking':
      return <Thinking row={row} open={open} onToggle={onToggle} />
    case 'tool':
      return <ToolLine row={row} open={open} onToggle={onToggle} />
    case 'delegate':
      return <DelegateCard row={row} joinsAbove={joinsAbove} joinsBelow={joinsBelow} />
    case 'note':
      return <Note row={row} open={open} onToggle={onToggle} />
    case 'compaction':
      return <Compaction row={row} open={open} onToggle={onToggle} />
    case 'turn-end':
      return <TurnEnd row={row} />
    case 'gap':
      return <Gap row={row} />
    case 'opaque':
      return <Opaque row={row} />
    case 'inherited':
      return (
        <Fold
          icon="branch"
          label={`Context from ${context.contextFrom}, ${plural(row.count, 'event')}`}
          open={open}
          onToggle={() => onToggle(row.key)}
        />
      )
    case 'approval':
      return context.renderApproval(row)
  }
}

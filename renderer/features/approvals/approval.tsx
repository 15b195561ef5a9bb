import type { PendingApproval } from '#shared/contract.ts'
import type { ApprovalDecision } from '#shared/session/events.ts'
import type { App } from '../../store/app.ts'
import { useApp } from '../../store/app-context.tsx'
import { failureOf } from '../../store/failure.ts'
import { ApprovalCard } from './approval-card.tsx'

interface ApprovalProps {
  readonly pending: PendingApproval
  readonly position?: number
  readonly total?: number
}

/** An open question that can be answered here. */
export function Approval({ pending, position = 1, total = 1 }: ApprovalProps) {
  const app = useApp()
  return (
    <ApprovalCard
      pending={pending}
      position={position}
      total={total}
      onDecide={decision => decideApproval(app, pending, decision)}
    />
  )
}

/** Answers and takes the question off every list of this window. @returns what went wrong, in a sentence. */
async function decideApproval(
  app: App,
  pending: PendingApproval,
  decision: ApprovalDecision,
): Promise<string | null> {
  const { sessionId, approval } = pending
  const { approvalId } = approval
  try {
    await app.client.approvals.decide({ sessionId, approvalId, decision })
  } catch (error) {
    const { code, detail } = failureOf(error)
    if (code !== 'APPROVAL_NOT_OPEN') return `The answer was not taken: ${detail} The question is still open.`
  }
  app.store.setState(({ approvals }) => ({
    approvals: approvals.filter(
      open => open.sessionId !== sessionId || open.approval.approvalId !== approvalId,
    ),
  }))
  return null
}

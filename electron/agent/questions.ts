import { WorkbenchError } from '#shared/errors.ts'
import type { ApprovalDecision } from '#shared/session/events.ts'
import type { Session } from '../session/session.ts'
import type { Tool } from '../tool/tool.ts'
import type { AgentLog } from './agent-log.ts'
import type { RequestedCall } from './run-step.ts'
import type { Permission } from './settle-tool-calls.ts'

export interface QuestionsDeps {
  readonly session: Session
  readonly log: AgentLog
  readonly verdictOn: (tool: Tool, input: unknown) => Verdict
  readonly newId: () => string
}

/** What is to become of a call. `pattern` is what a standing *yes* to its question would cover. */
export type Verdict =
  | { readonly kind: 'run' }
  | { readonly kind: 'ask'; readonly pattern: string }
  | { readonly kind: 'refuse'; readonly why: string }

interface AskedAt {
  readonly turn: number
  readonly step: number
}

/** What one agent asks people before its calls run. A question is in the log; who waits for it is not. */
export class Questions {
  readonly #deps: QuestionsDeps
  readonly #waiting = new Map<string, (decision: ApprovalDecision) => void>()

  constructor(deps: QuestionsDeps) {
    this.#deps = deps
  }

  /** Whether a call may run: at once, or after a person's answer, which an earlier process may have got. */
  async permit(
    tool: Tool,
    call: RequestedCall,
    input: unknown,
    at: AskedAt,
    signal: AbortSignal,
  ): Promise<Permission> {
    const asked = this.#deps.log.openTurn.questionOf(call.callId)
    const verdict =
      asked === undefined ? this.#deps.verdictOn(tool, input) : ({ kind: 'ask', ...asked } as const)
    if (verdict.kind === 'run') return 'run'
    if (verdict.kind === 'refuse') return { denied: verdict.why }
    const approvalId = asked?.approvalId ?? this.#ask(tool, call, verdict.pattern, at)
    const decision = asked?.decision ?? (await this.#decision(approvalId, signal))
    return decision === null ? 'stopped' : toPermission(decision)
  }

  /** @throws WorkbenchError `APPROVAL_NOT_OPEN` when it was answered, or its turn is over. */
  decide(approvalId: string, decision: ApprovalDecision, by: 'person' | 'rule'): void {
    const asked = this.#deps.log.openTurn.questions.get(approvalId)
    if (asked === undefined || asked.decision !== null) {
      throw new WorkbenchError('APPROVAL_NOT_OPEN', 'This question is not open any more.')
    }
    const { callId } = asked
    this.#deps.session.append({ type: 'approval/decided', data: { approvalId, callId, decision, by } })
    this.#waiting.get(approvalId)?.(decision)
  }

  #ask(tool: Tool, { callId, name, input }: RequestedCall, pattern: string, at: AskedAt): string {
    const approvalId = this.#deps.newId()
    this.#deps.session.append({
      type: 'approval/asked',
      data: { ...at, callId, approvalId, name, toolClass: tool.toolClass, input, pattern },
    })
    return approvalId
  }

  /** `null`: the turn was stopped first. */
  #decision(approvalId: string, signal: AbortSignal): Promise<ApprovalDecision | null> {
    return new Promise(resolve => {
      const stop = () => settle(null)
      const settle = (decision: ApprovalDecision | null) => {
        this.#waiting.delete(approvalId)
        signal.removeEventListener('abort', stop)
        resolve(decision)
      }
      this.#waiting.set(approvalId, settle)
      signal.addEventListener('abort', stop)
      if (signal.aborted) stop()
    })
  }
}

function toPermission(decision: ApprovalDecision): Permission {
  if (decision.kind === 'allow') return 'run'
  if (decision.kind === 'expired')
    return { denied: 'Nobody answered in time. Ask again if it still matters.' }
  return { denied: decision.reason ? `Declined: ${decision.reason}` : 'The person declined this call.' }
}

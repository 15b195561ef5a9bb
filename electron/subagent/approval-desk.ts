import type { PendingApproval } from '#shared/contract.ts'
import type { OpenApproval } from '#shared/projection/units/approvals.ts'
import type { SubagentIdentity } from '#shared/projection/units/subagent.ts'
import type { ApprovalDecision } from '#shared/session/events.ts'
import { shortId, type SessionId } from '#shared/session/ids.ts'
import type { Json } from '#shared/session/json.ts'
import type { ProjectionRegistry } from '../projection/registry.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { CheckpointStore } from '../store/persistence.ts'
import type { Tool } from '../tool/tool.ts'
import type { Activation, Activations } from './activations.ts'
import type { Lineage } from './lineage.ts'
import type { Rollups } from './rollup.ts'

export interface ApprovalDeskDeps {
  readonly live: LiveSessions
  readonly registry: ProjectionRegistry
  readonly checkpoints: Pick<CheckpointStore, 'snapshot'>
  readonly lineage: Lineage
  readonly rollups: Rollups
  readonly activations: () => Activations
  /** Patterns that people allowed for good. */
  readonly alwaysAllowed: () => readonly string[]
  readonly allowAlways: (pattern: string) => void
  /** Whether a call asks at all, before any grant. */
  readonly asks: (tool: Tool, input: unknown, cwd: string, mode: 'ask' | 'allow') => boolean
}

/**
 * Questions that wait for people, and what was granted. Grants are read when a call is decided: one given in a
 * session holds for its whole tree, at once. A child's question is never answered for the person.
 */
export class ApprovalDesk {
  readonly #deps: ApprovalDeskDeps
  /** Patterns allowed "for this session", by root. */
  readonly #granted = new Map<SessionId, Set<string>>()

  constructor(deps: ApprovalDeskDeps) {
    this.#deps = deps
  }

  mustAsk({ session, agent, record, rootId }: Activation, tool: Tool, input: unknown): boolean {
    const cwd = session.header.cwd ?? ''
    if (!this.#deps.asks(tool, input, cwd, record.approvalMode)) return false
    const pattern = tool.approvalPattern?.(input) ?? tool.name
    return !(
      agent.log.granted.has(pattern) ||
      this.#granted.get(rootId)?.has(pattern) ||
      this.#deps.alwaysAllowed().includes(pattern)
    )
  }

  /** Every open question, oldest first, wherever in a tree it was asked. */
  async open(): Promise<PendingApproval[]> {
    const perSession = await Promise.all(this.#deps.rollups.waiting().map((id) => this.#openIn(id)))
    return perSession.flat().sort((a, b) => a.approval.since - b.approval.since)
  }

  /**
   * Answers one question. Deciding one of a session that is not running resumes it at that call. A grant with a
   * scope answers every other open question that it covers.
   * @throws WorkbenchError `APPROVAL_NOT_OPEN`, and what `Activations.open` throws.
   */
  async decide(sessionId: SessionId, approvalId: string, decision: ApprovalDecision): Promise<void> {
    const activation = await this.#deps.activations().open(sessionId, 'decision')
    const pattern = activation.agent.log.questions.get(approvalId)?.pattern
    activation.agent.decide(approvalId, decision, 'person')
    await this.#deps.live.flush()
    if (decision.kind !== 'allow' || decision.scope === 'once' || pattern === undefined) return
    if (decision.scope === 'always') this.#deps.allowAlways(pattern)
    else this.#grant(activation.rootId, pattern)
    this.#answerCovered(pattern, decision.scope === 'always' ? null : activation.rootId)
  }

  #grant(rootId: SessionId, pattern: string): void {
    const granted = this.#granted.get(rootId) ?? new Set()
    granted.add(pattern)
    this.#granted.set(rootId, granted)
  }

  #answerCovered(pattern: string, rootId: SessionId | null): void {
    for (const activation of this.#deps.activations().list()) {
      if (rootId !== null && activation.rootId !== rootId) continue
      for (const question of activation.agent.log.questions.values()) {
        if (question.decision !== null || question.pattern !== pattern) continue
        activation.agent.decide(question.approvalId, { kind: 'allow', scope: 'once' }, 'rule')
      }
    }
  }

  async #openIn(sessionId: SessionId): Promise<PendingApproval[]> {
    const chain = await this.#deps.lineage.upwards(sessionId)
    const values = await this.#valuesOf(sessionId)
    const open = (values['approvals'] ?? []) as unknown as readonly OpenApproval[]
    if (open.length === 0 || chain[0] === undefined) return []
    const labels = await Promise.all(chain.map(async ({ id }) => labelOf(id, await this.#valuesOf(id))))
    const { cwd } = chain[0]
    const rootId = chain.at(-1)?.id ?? sessionId
    const [label = shortId(sessionId), ...above] = labels
    return open.map((approval) => ({ sessionId, rootId, label, path: above.toReversed(), cwd: cwd ?? null, approval }))
  }

  async #valuesOf(id: SessionId): Promise<Readonly<Record<string, Json>>> {
    return this.#deps.registry.snapshot(id)?.values ?? (await this.#deps.checkpoints.snapshot(id)).values
  }
}

/** What people call a session: a child's label, a root's title, else the short id. */
export function labelOf(id: SessionId, values: Readonly<Record<string, Json>>): string {
  const identity = values['subagent'] as SubagentIdentity | null | undefined
  const title = values['title']
  return identity?.label ?? (typeof title === 'string' ? title : shortId(id))
}

import type { PendingApproval } from '#shared/contract.ts'
import { WorkbenchError } from '#shared/errors.ts'
import type { ProjectionValues } from '#shared/projection/units.ts'
import type { ApprovalDecision } from '#shared/session/events.ts'
import { type SessionId, shortId } from '#shared/session/ids.ts'
import type { Verdict } from '../agent/questions.ts'
import type { ProjectionRegistry } from '../projection/registry.ts'
import { typedValues } from '../projection/typed-values.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import { savedInTime } from '../session/until-saved.ts'
import type { CheckpointStore } from '../store/persistence.ts'
import { covers, needsApproval, type Rule, ruleOf } from '../tool/approval-rules.ts'
import type { Tool } from '../tool/tool.ts'
import type { Activation } from './activation.ts'
import type { Activations } from './activations.ts'
import type { Lineage } from './lineage.ts'
import type { Rollups } from './rollup.ts'

export interface ApprovalDeskDeps {
  readonly live: LiveSessions
  readonly registry: ProjectionRegistry
  readonly checkpoints: Pick<CheckpointStore, 'snapshot'>
  readonly lineage: Lineage
  readonly rollups: Rollups
  readonly activations: () => Activations
  /** What people allowed for good. */
  readonly allowed: () => readonly Rule[]
  readonly allow: (rule: Rule) => void
  readonly onError: (error: unknown) => void
}

/**
 * Questions that wait for people, and what was granted. Grants are read when a call is decided: one given in a
 * session holds for its whole tree, at once. A child's question is never answered for the person.
 */
export class ApprovalDesk {
  readonly #deps: ApprovalDeskDeps
  /** Allowed "for this session", by root. */
  readonly #granted = new Map<SessionId, Rule[]>()

  constructor(deps: ApprovalDeskDeps) {
    this.#deps = deps
  }

  /** What is to become of a call, by the mode of its session and what people allowed. */
  verdictOn({ session, record, rootId }: Activation, tool: Tool, input: unknown): Verdict {
    const cwd = session.header.cwd ?? ''
    const kind = needsApproval({
      tool,
      input,
      cwd,
      mode: record.approvalMode,
      rules: this.#deps.allowed(),
      sessionRules: this.#rulesOf(rootId),
    })
    if (kind === 'refuse')
      return { kind, why: 'This session is read-only: nothing is written, run or fetched.' }
    return kind === 'run' ? { kind } : { kind, pattern: ruleOf(tool, input, cwd).pattern }
  }

  /** What was allowed "for this session" anywhere in a tree; their own logs tell it after a restart. */
  #rulesOf(rootId: SessionId): Rule[] {
    const logged = this.#deps
      .activations()
      .list()
      .filter(one => one.rootId === rootId)
      .flatMap(({ agent, session }) =>
        [...agent.log.granted].map(pattern => ({ pattern, folder: session.header.cwd ?? '' })),
      )
    return [...logged, ...(this.#granted.get(rootId) ?? [])]
  }

  /** Every open question, oldest first, wherever in a tree it was asked. */
  async open(): Promise<PendingApproval[]> {
    const reads = this.#deps.rollups.waiting().map(id =>
      this.#openIn(id).catch((error: unknown) => {
        // A record that cannot be read costs its own questions.
        this.#deps.onError(error)
        return []
      }),
    )
    const perSession = await Promise.all(reads)
    return perSession.flat().sort((a, b) => a.approval.since - b.approval.since)
  }

  /**
   * Answers one question. Deciding one of a session that is not running resumes it at that call. A grant with a
   * scope answers every other open question that it covers.
   * @throws WorkbenchError `APPROVAL_NOT_OPEN`, and what `Activations.use` throws.
   */
  async decide(sessionId: SessionId, approvalId: string, decision: ApprovalDecision): Promise<void> {
    await this.#deps.activations().use(sessionId, 'decision', async ({ agent, session, rootId }) => {
      const pattern = agent.log.openTurn.questions.get(approvalId)?.pattern
      agent.decide(approvalId, decision, 'person')
      if (decision.kind === 'allow' && decision.scope !== 'once' && pattern !== undefined) {
        const folder = decision.scope === 'always' ? null : (session.header.cwd ?? '')
        this.#grant({ pattern, folder }, decision.scope === 'session' ? rootId : null)
      }
      await savedInTime(this.#deps.live, session)
    })
  }

  /** `rootId` null: for good, everywhere. */
  #grant(rule: Rule, rootId: SessionId | null): void {
    if (rootId === null) this.#allowForGood(rule)
    else this.#granted.set(rootId, [...(this.#granted.get(rootId) ?? []), rule])
    this.#answerCovered(rule, rootId)
  }

  /** @throws WorkbenchError `NOT_SAVED`: the call itself goes on. */
  #allowForGood(rule: Rule): void {
    try {
      this.#deps.allow(rule)
    } catch (cause) {
      const problem = 'It was allowed this once. That it is always allowed could not be saved.'
      throw new WorkbenchError('NOT_SAVED', problem, { cause })
    }
  }

  #answerCovered(rule: Rule, rootId: SessionId | null): void {
    for (const { agent, session, ...activation } of this.#deps.activations().list()) {
      if (rootId !== null && activation.rootId !== rootId) continue
      for (const question of agent.log.openTurn.questions.values()) {
        const wanted = { pattern: question.pattern, folder: session.header.cwd ?? '' }
        if (question.decision !== null || !covers(rule, wanted)) continue
        agent.decide(question.approvalId, { kind: 'allow', scope: 'once' }, 'rule')
      }
    }
  }

  async #openIn(sessionId: SessionId): Promise<PendingApproval[]> {
    const chain = await this.#deps.lineage.upwards(sessionId)
    const values = await this.#valuesOf(sessionId)
    const open = values.approvals ?? []
    if (open.length === 0 || chain[0] === undefined) return []
    const labels = await Promise.all(
      chain.map(({ id }) =>
        this.#valuesOf(id).then(
          found => labelOf(id, found),
          // One that cannot be read is known by its id.
          () => shortId(id),
        ),
      ),
    )
    const { cwd } = chain[0]
    const rootId = chain.at(-1)?.id ?? sessionId
    const [label = shortId(sessionId), ...above] = labels
    return open.map(approval => ({
      sessionId,
      rootId,
      label,
      path: above.toReversed(),
      cwd: cwd ?? null,
      approval,
    }))
  }

  async #valuesOf(id: SessionId): Promise<ProjectionValues> {
    const { values } = this.#deps.registry.snapshot(id) ?? (await this.#deps.checkpoints.snapshot(id))
    return typedValues(values)
  }
}

/** What people call a session: a child's label, a root's title, else the short id. */
export function labelOf(id: SessionId, { subagent, title }: ProjectionValues): string {
  return subagent?.label ?? title ?? shortId(id)
}

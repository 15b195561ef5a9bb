import { stat } from 'node:fs/promises'
import { SubagentError, WorkbenchError } from '#shared/errors.ts'
import type { IdentityRecord } from '#shared/projection/units/identity-record.ts'
import type { ModelRoute } from '#shared/session/events.ts'
import type { SessionHeader } from '#shared/session/header.ts'
import type { AgentSetup } from '../agent/agent-setup.ts'
import { systemPrompt } from '../agent/system-prompt.ts'
import type { Tool } from '../tool/tool.ts'
import type { Activation } from './activation.ts'
import { findPreset, passesFilter } from './presets.ts'
import { type Admission, requireResumable } from './resumable.ts'

export interface RestoringDeps {
  /** Every tool, before a child's filter. */
  readonly tools: () => readonly Tool[]
  readonly defaultRoute: () => ModelRoute
  /** @throws WorkbenchError `MODEL_UNKNOWN`, `MODEL_KEY_MISSING`. */
  readonly resolveModel: (route: ModelRoute) => unknown
}

/** What a session's own record makes of its agent; nothing of it comes from a parent. */
export class Restoring {
  readonly #deps: RestoringDeps

  constructor(deps: RestoringDeps) {
    this.#deps = deps
  }

  /**
   * What cannot be restored refuses the resume: nothing falls back to a default in silence. Whoever only changes the
   * record of a session puts nobody to work, so all it needs is the record.
   * @throws what `requireResumable` throws, WorkbenchError `FOLDER_MISSING`, `MODEL_UNKNOWN`, `MODEL_KEY_MISSING`.
   */
  async require(header: SessionHeader, record: IdentityRecord, admission: Admission): Promise<void> {
    requireResumable(header, record, admission)
    if (admission === 'record') return
    await requireFolder(header)
    if (record.route !== null) this.#deps.resolveModel(record.route)
    this.#requireMade(header, record)
  }

  setupOf({ session, record, agent }: Activation): AgentSetup {
    const { header } = session
    const { descriptor, route } = record
    // A continuable child's own record has both; a one-shot's has the name of its preset only.
    const made = descriptor?.mode === 'continuable' ? descriptor : findPreset(header.preset ?? '')
    const tools = this.#deps
      .tools()
      .filter(tool => passesFilter(tool.name, made?.toolFilter) && isOffered(tool, record))
    const cwd = header.cwd ?? process.cwd()
    const canDelegate = tools.some(({ name }) => name === 'delegate')
    const system = systemPrompt({ cwd, isChild: descriptor !== null, persona: made?.persona, canDelegate })
    return { route: agent.log.route ?? route ?? this.#deps.defaultRoute(), system, tools, cwd }
  }

  #requireMade({ preset }: SessionHeader, { descriptor }: IdentityRecord): void {
    if (descriptor?.mode === 'one-shot' && preset !== undefined && findPreset(preset) === undefined) {
      throw new SubagentError('NOT_RESUMABLE', `Its preset "${preset}" is not here any more.`)
    }
    const allowed = descriptor?.mode === 'continuable' ? (descriptor.toolFilter?.allow ?? []) : []
    const known = new Set(this.#deps.tools().map(({ name }) => name))
    const lost = allowed.filter(name => !known.has(name))
    if (lost.length === 0) return
    throw new SubagentError(
      'NOT_RESUMABLE',
      `Its tools cannot be restored: ${lost.join(', ')} is not here any more.`,
    )
  }
}

/** `report` is for those whose parent may hear from them more than once. */
function isOffered(tool: Tool, { descriptor }: IdentityRecord): boolean {
  return tool.name !== 'report' || descriptor?.mode === 'continuable'
}

/** @throws WorkbenchError `FOLDER_MISSING`: an agent is never put to work somewhere else. */
async function requireFolder({ cwd }: SessionHeader): Promise<void> {
  if (cwd === undefined) return
  const found = await stat(cwd).catch(() => null)
  if (found?.isDirectory()) return
  throw new WorkbenchError('FOLDER_MISSING', `The folder ${cwd} is gone. The history can still be read.`)
}

import { resolve } from 'node:path'
import type { ApprovalMode } from '#shared/session/approval-mode.ts'
import type { ToolClass } from '#shared/session/events.ts'
import type { Tool } from './tool.ts'

/** A standing *yes* of the person's. It holds for exactly this pattern. */
export interface Rule {
  readonly pattern: string
  /** The folder of the session that asked, `null` for every folder. */
  readonly folder: string | null
}

export interface ApprovalQuestion {
  readonly tool: Tool
  /** Parsed by the tool's schema. */
  readonly input: unknown
  readonly cwd: string
  readonly mode: ApprovalMode
  /** Given for a folder or for all, and for this session. */
  readonly rules: readonly Rule[]
  readonly sessionRules: readonly Rule[]
}

/**
 * Whether a call runs at once, waits for a person, or is refused whoever asks. Notes and delegation are free, and so is
 * reading inside the folder. What a mode adds is in `UNASKED`; writing outside the folder asks in every mode that writes.
 */
export function needsApproval(question: ApprovalQuestion): 'run' | 'ask' | 'refuse' {
  const { tool, input, cwd, mode, rules, sessionRules } = question
  if (mode === 'read-only' && !isFree(tool)) return 'refuse'
  const rule = ruleOf(tool, input, cwd)
  if ([...rules, ...sessionRules].some(given => covers(given, rule))) return 'run'
  if (leaves(tool, input, cwd)) return mode === 'unattended' && tool.toolClass === 'read' ? 'run' : 'ask'
  return isFree(tool) || UNASKED[mode].includes(tool.toolClass) ? 'run' : 'ask'
}

/** What runs inside the folder without a question, beside what is free. */
const UNASKED: Readonly<Record<ApprovalMode, readonly ToolClass[]>> = {
  'read-only': [],
  ask: [],
  'accept-edits': ['write'],
  workspace: ['write', 'shell', 'network'],
  unattended: ['write', 'shell', 'network'],
}

/** Whether a standing rule allows what `wanted`, the rule of one call, is about. */
export function covers(given: Rule, wanted: Rule): boolean {
  return given.pattern === wanted.pattern && (given.folder === null || given.folder === wanted.folder)
}

/** The rule that a *yes* for the folder would make of this call. What leaves the folder is named one by one. */
export function ruleOf(tool: Tool, input: unknown, cwd: string): Rule & { readonly folder: string } {
  if (leaves(tool, input, cwd)) {
    return { pattern: `outside the folder, ${tool.name}: ${targetOf(input, cwd)}`, folder: cwd }
  }
  return { pattern: tool.approvalPattern?.(input) ?? tool.name, folder: cwd }
}

function leaves(tool: Tool, input: unknown, cwd: string): boolean {
  return tool.leavesFolder?.(input, cwd) === true
}

function isFree(tool: Tool): boolean {
  switch (tool.toolClass) {
    case 'read':
    case 'state':
    case 'delegate':
      return true
    case 'write':
    case 'shell':
    case 'network':
      return false
  }
}

/** Absolute, so that it means the same from every folder. */
function targetOf(input: unknown, cwd: string): string {
  const path = textIn(input, 'path')
  const pattern = textIn(input, 'pattern')
  if (path === undefined) return pattern === undefined ? JSON.stringify(input) : resolve(cwd, pattern)
  return [resolve(cwd, path), ...(pattern === undefined ? [] : [pattern])].join(' ')
}

function textIn(input: unknown, key: string): string | undefined {
  const value: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, key) : undefined
  return typeof value === 'string' ? value : undefined
}

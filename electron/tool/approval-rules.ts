import type { Tool } from './tool.ts'

/** A standing *yes* of the person's. It holds for exactly this pattern, in exactly this folder. */
export interface Rule {
  readonly pattern: string
  /** The folder of the session that asked. */
  readonly folder: string
}

export interface ApprovalQuestion {
  readonly tool: Tool
  /** Parsed by the tool's schema. */
  readonly input: unknown
  readonly cwd: string
  readonly mode: 'ask' | 'allow'
  /** Given with *always*, and with *for this session*. */
  readonly rules: readonly Rule[]
  readonly sessionRules: readonly Rule[]
}

/**
 * Whether a call runs at once or waits for a person. A call that leaves the folder asks in every mode. Inside it reading,
 * notes and delegation are free; writing, commands and the network ask, unless the mode allows everything.
 */
export function needsApproval(question: ApprovalQuestion): 'run' | 'ask' {
  const { tool, input, cwd, mode, rules, sessionRules } = question
  const rule = ruleOf(tool, input, cwd)
  if ([...rules, ...sessionRules].some(given => given.pattern === rule.pattern && given.folder === cwd))
    return 'run'
  if (leaves(tool, input, cwd)) return 'ask'
  return mode === 'allow' || isFree(tool) ? 'run' : 'ask'
}

/** The rule that an *always* answer to this call would make. What leaves the folder is named one by one. */
export function ruleOf(tool: Tool, input: unknown, cwd: string): Rule {
  if (leaves(tool, input, cwd)) {
    return { pattern: `outside the folder, ${tool.name}: ${targetOf(input)}`, folder: cwd }
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

function targetOf(input: unknown): string {
  const path = typeof input === 'object' && input !== null && 'path' in input ? input.path : undefined
  const pattern =
    typeof input === 'object' && input !== null && 'pattern' in input ? input.pattern : undefined
  const parts = [path, pattern].filter(part => typeof part === 'string')
  return parts.length === 0 ? JSON.stringify(input) : parts.join(' ')
}

import type { ToolFilter } from '#shared/subagent/descriptor.ts'

/** A kind of child that a model can ask for by name. */
export interface Preset {
  readonly name: string
  /** One line for the model that chooses. */
  readonly purpose: string
  /** Added to the system prompt of the child; recorded in its descriptor. */
  readonly persona?: string
  readonly toolFilter?: ToolFilter
}

export const PRESETS: readonly Preset[] = [
  { name: 'general', purpose: 'Anything. Has every tool.' },
  {
    name: 'explorer',
    purpose: 'Finds and reads things. Changes nothing.',
    persona: 'You find out and report. You change nothing. Name files and lines for what you claim.',
    toolFilter: { allow: ['read', 'glob', 'grep', 'todo', 'report'] },
  },
  {
    name: 'writer',
    purpose: 'Writes and edits files. Runs no commands.',
    persona: 'You write clear text and code in the style of what is there.',
    toolFilter: { deny: ['shell'] },
  },
]

export function findPreset(name: string): Preset | undefined {
  return PRESETS.find(preset => preset.name === name)
}

export function passesFilter(tool: string, filter: ToolFilter | undefined): boolean {
  if (filter === undefined) return true
  if (filter.deny?.includes(tool)) return false
  return filter.allow === undefined || filter.allow.includes(tool)
}

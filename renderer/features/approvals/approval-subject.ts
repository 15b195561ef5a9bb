import { createTwoFilesPatch } from 'diff'
import type { OpenApproval } from '#shared/projection/units/approvals.ts'
import type { IconName } from '../../ui/icon.tsx'

/** What a person is asked to allow, exactly as it would run. */
export type ApprovalSubject =
  | { readonly kind: 'command'; readonly icon: IconName; readonly text: string }
  | { readonly kind: 'change'; readonly path: string; readonly diff: string }
  | { readonly kind: 'input'; readonly text: string }

const ASKS: Readonly<Record<OpenApproval['toolClass'], string>> = {
  read: 'asks to read outside its folder',
  write: 'asks to change a file',
  shell: 'asks to run a command',
  network: 'asks to use the network',
  delegate: 'asks to start an agent',
  state: 'asks to go on',
}

export function asksTo(approval: OpenApproval): string {
  return ASKS[approval.toolClass]
}

/** Nothing is left out: fields that the short form does not show make it the whole input. */
export function approvalSubject({ name, toolClass, input }: OpenApproval): ApprovalSubject {
  const fields = isRecord(input) ? input : {}
  const whole: ApprovalSubject = { kind: 'input', text: `${name} ${JSON.stringify(input, null, 2)}` }
  if (toolClass === 'shell')
    return only(fields, 'command', ['timeoutMs', 'timeout', 'description'], 'terminal') ?? whole
  if (toolClass === 'network') return only(fields, 'url', [], 'globe') ?? whole
  if (toolClass === 'read') return only(fields, 'path', ['offset', 'limit'], 'file') ?? whole
  if (toolClass === 'write') return changeOf(fields) ?? whole
  return whole
}

function only(
  fields: Readonly<Record<string, unknown>>,
  field: string,
  harmless: readonly string[],
  icon: IconName,
): ApprovalSubject | null {
  const text = fields[field]
  const others = Object.keys(fields).filter(key => key !== field && !harmless.includes(key))
  return typeof text === 'string' && others.length === 0 ? { kind: 'command', icon, text } : null
}

function changeOf(fields: Readonly<Record<string, unknown>>): ApprovalSubject | null {
  const { path, oldText, newText, content } = fields
  if (typeof path !== 'string') return null
  if (typeof oldText === 'string' && typeof newText === 'string') return change(path, oldText, newText)
  return typeof content === 'string' ? change(path, '', content) : null
}

function change(path: string, before: string, after: string): ApprovalSubject {
  return { kind: 'change', path, diff: createTwoFilesPatch(path, path, ended(before), ended(after)) }
}

/** A last line without a line feed would show as a change of its own. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

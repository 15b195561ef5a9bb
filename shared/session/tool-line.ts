import { oneLine } from '../one-line.ts'

/** A call in the words of its folded line: a verb and what it acts on. */
export interface ToolLine {
  readonly verb: string
  readonly target: string
}

const VERBS: Readonly<Record<string, readonly [verb: string, ...fields: string[]]>> = {
  read: ['Read', 'path', 'file_path'],
  write: ['Write', 'path', 'file_path'],
  edit: ['Edit', 'path', 'file_path'],
  multiedit: ['Edit', 'file_path'],
  notebookedit: ['Edit', 'notebook_path'],
  glob: ['Find', 'pattern'],
  grep: ['Search', 'pattern'],
  ls: ['List', 'path'],
  shell: ['Run', 'command'],
  bash: ['Run', 'command'],
  bashoutput: ['Read output', 'bash_id'],
  todo: ['Plan', ''],
  todowrite: ['Plan', ''],
  delegate: ['Delegate', 'description'],
  task: ['Delegate', 'description'],
  agent: ['Delegate', 'description'],
  send_message: ['Message', 'agent_id'],
  list_agents: ['List agents', ''],
  interrupt_agent: ['Interrupt', 'agent_id'],
  report: ['Report', ''],
  webfetch: ['Fetch', 'url'],
  websearch: ['Search the web', 'query'],
}

/** Never throws: `input` is what a model or another tool's file says. Line breaks become spaces. */
export function toolLine(name: string, input: unknown): ToolLine {
  const known = VERBS[name.toLowerCase()]
  if (known === undefined) return { verb: name, target: firstText(input) }
  const [verb, ...fields] = known
  return { verb, target: fields.map(field => textField(input, field)).find(text => text !== '') ?? '' }
}

function textField(input: unknown, field: string): string {
  if (typeof input !== 'object' || input === null) return ''
  return targetText((input as Record<string, unknown>)[field])
}

function firstText(input: unknown): string {
  if (typeof input !== 'object' || input === null) return ''
  return targetText(Object.values(input).find(value => typeof value === 'string'))
}

function targetText(value: unknown): string {
  return typeof value === 'string' ? oneLine(value, 400).slice(0, 200) : ''
}

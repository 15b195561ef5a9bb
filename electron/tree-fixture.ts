import { type EventOf, type EventType, readEvent, type StoredEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { createScriptedModel, type ScriptedRequest, type ScriptedStep } from './model/scripted-model.ts'
import { listChildren } from './subagent/catalog/list-children.ts'
import { openTestWorkbench, type TestOptions, type TestWorkbench } from './workbench-fixture.ts'

export type Play = (request: ScriptedRequest) => ScriptedStep | string

/** For tests: a workbench whose roots and children play their own parts, told apart by the system prompt. */
export function openTestTree(
  parts: { readonly root: Play; readonly child: Play },
  options: Omit<TestOptions, 'model'> = {},
): Promise<TestWorkbench> {
  const model = createScriptedModel(request =>
    isChild(request) ? parts.child(request) : parts.root(request),
  )
  return openTestWorkbench({ ...options, model })
}

export function isChild({ system }: ScriptedRequest): boolean {
  return system.includes('You are a delegated agent.')
}

export function delegate(input: object): ScriptedStep {
  return {
    calls: [{ name: 'delegate', input: { description: 'Audit the parser', prompt: 'Audit it.', ...input } }],
  }
}

/** The first request of a session delegates, later ones sum up. */
export const delegatesOnce =
  (input: object): Play =>
  ({ prompt }) =>
    prompt.some(message => message.role === 'tool') ? 'Summed up.' : delegate(input)

/** Wants to write a file, once. */
export const writes: Play = ({ prompt }) =>
  prompt.at(-1)?.role === 'tool'
    ? 'Written.'
    : { calls: [{ name: 'write', input: { path: 'note.txt', content: 'x' } }] }

export function eventsOf<T extends EventType>(events: readonly StoredEvent[], type: T): EventOf<T>[] {
  return events.map(readEvent).filter((event): event is EventOf<T> & typeof event => event?.type === type)
}

export async function onlyChild({ workbench }: TestWorkbench, parent: SessionId) {
  const [entry] = await listChildren(workbench.catalog, parent, { with: ['facts', 'warnings', 'detail'] })
  if (entry === undefined) throw new Error('there is no child')
  return entry
}

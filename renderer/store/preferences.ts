import { z } from 'zod'
import { sessionIdSchema } from '#shared/session/ids.ts'
import type { State, Store } from './state.ts'

const KEY = 'espalier.window'

const ids = z.array(sessionIdSchema).max(500)
const preferencesSchema = z.object({
  open: sessionIdSchema.nullable(),
  expanded: ids,
  closedGroups: z.array(z.string()).max(500),
  unseen: ids,
  inspectorTab: z.enum(['overview', 'timeline', 'changes', 'tasks', 'log', 'diagnostics']),
  sidebarShown: z.boolean(),
  inspectorShown: z.boolean(),
  sort: z.enum(['recent', 'title']),
})

/** What a window was left with. A convenience: without it, or with a broken one, everything works. */
export function readPreferences(storage: Storage | null): Partial<State> {
  const text = storage?.getItem(KEY)
  if (text === undefined || text === null) return {}
  const parsed = preferencesSchema.safeParse(parse(text))
  if (!parsed.success) return {}
  const { expanded, closedGroups, unseen, ...rest } = parsed.data
  return {
    ...rest,
    expanded: new Set(expanded),
    closedGroups: new Set(closedGroups),
    unseen: new Set(unseen),
  }
}

/** Writes them a moment after a change. @returns ends it. */
export function keepPreferences(store: Store, storage: Storage | null): () => void {
  if (storage === null) return () => {}
  let timer: ReturnType<typeof setTimeout> | null = null
  let written = ''
  const write = () => {
    timer = null
    const text = JSON.stringify(preferencesOf(store.getState()))
    if (text === written) return
    written = text
    storage.setItem(KEY, text)
  }
  const stop = store.subscribe(() => {
    timer ??= setTimeout(write, 500)
  })
  return () => {
    stop()
    if (timer !== null) clearTimeout(timer)
  }
}

function preferencesOf(state: State): z.infer<typeof preferencesSchema> {
  const { open, inspectorTab, sidebarShown, inspectorShown, sort } = state
  return {
    open,
    inspectorTab,
    sidebarShown,
    inspectorShown,
    sort,
    expanded: [...state.expanded].slice(-500),
    closedGroups: [...state.closedGroups].slice(-500),
    unseen: [...state.unseen].slice(-500),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: written by something else or cut off. As good as absent.
    return null
  }
}

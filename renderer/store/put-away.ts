import type { SessionId } from '#shared/session/ids.ts'
import { openSession, showOverlay } from './actions.ts'
import type { App } from './app.ts'
import { failureOf } from './failure.ts'
import { labelOf } from './row-words.ts'
import { viewOf } from './session-view.ts'
import type { State, Undo } from './state.ts'

/** How long what was done can be taken back on the spot. Later: in the group of archived sessions, in the trash. */
const UNDO_MS = 10_000

/** Archives a root with its children, undoable. */
export async function archiveSession(app: App, id: SessionId): Promise<void> {
  const label = labelIn(app, id)
  try {
    const { sessions } = await app.client.sessions.archive({ sessionId: id, archived: true })
    app.store.setState(state => ({
      ...withArchived(state, id, true),
      undo: undoable(`Archived ${withChildren(label, sessions)}`, { kind: 'unarchive', sessionId: id }),
    }))
  } catch (error) {
    app.report(`${label} could not be archived`, error)
  }
}

export async function unarchiveSession(app: App, id: SessionId): Promise<void> {
  try {
    await app.client.sessions.archive({ sessionId: id, archived: false })
    app.store.setState(state => ({ ...withArchived(state, id, false), undo: null }))
  } catch (error) {
    app.report('The session could not be brought back', error)
  }
}

/** Moves a root with its children into the trash, undoable. What runs in it is stopped only after a question. */
export async function trashSession(app: App, id: SessionId, stopRunning = false): Promise<void> {
  const label = labelIn(app, id)
  const reopen = openIn(app.store.getState(), id)
  try {
    const { sessions } = await app.client.sessions.trash({ sessionId: id, stopRunning })
    const text = `Moved ${withChildren(label, sessions)} to the trash`
    app.store.setState({ undo: undoable(text, { kind: 'restore', sessionId: id, reopen }) })
  } catch (error) {
    const { code, detail } = failureOf(error)
    if (code === 'WORK_RUNNING') showOverlay(app, { kind: 'trash-running', sessionId: id, running: detail })
    else app.report(`${label} could not be moved to the trash`, error)
  }
}

/** Everything that went into the trash with it. */
export async function restoreSession(app: App, id: SessionId): Promise<boolean> {
  try {
    await app.client.sessions.restore({ sessionId: id })
    app.store.setState(({ undo }) => (undo?.what.sessionId === id ? { undo: null } : {}))
    if (app.store.getState().expanded.has(id)) void app.children.load(id)
    await app.sessions.refreshRoots()
    return true
  } catch (error) {
    app.report('The session could not be brought back', error)
    return false
  }
}

export async function takeBack(app: App, { what }: Undo): Promise<void> {
  switch (what.kind) {
    case 'unarchive':
      await unarchiveSession(app, what.sessionId)
      break
    case 'restore':
      if ((await restoreSession(app, what.sessionId)) && what.reopen !== null) openSession(app, what.reopen)
      break
  }
}

/** "Refactor the parser", "Refactor the parser and 12 children". */
export function withChildren(label: string, sessions: number): string {
  const children = sessions - 1
  if (children <= 0) return label
  return `${label} and ${children.toLocaleString('en')} ${children === 1 ? 'child' : 'children'}`
}

function undoable(text: string, what: Undo['what']): Undo {
  const until = Date.now() + UNDO_MS
  return { id: until, text, until, what }
}

/** A toast names it, it does not quote it. */
const LABEL = 60

function labelIn(app: App, id: SessionId): string {
  const view = viewOf(app.store.getState(), id)
  const label = view === null ? id : labelOf(view)
  return label.length > LABEL ? `${label.slice(0, LABEL - 1).trimEnd()}…` : label
}

/** What is open, when it is of this tree. */
function openIn({ open, parents }: State, id: SessionId): SessionId | null {
  const seen = new Set<SessionId>()
  for (let at = open ?? undefined; at !== undefined && !seen.has(at); at = parents.get(at)) {
    if (at === id) return open
    seen.add(at)
  }
  return null
}

function withArchived(state: State, id: SessionId, archived: boolean): Partial<State> {
  const summary = state.summaries.get(id)
  return summary === undefined
    ? {}
    : { summaries: new Map(state.summaries).set(id, { ...summary, archived }) }
}

import type { SessionId } from '#shared/session/ids.ts'
import type { App } from './app.ts'
import { failureOf } from './failure.ts'
import { lineageOf } from './selectors.ts'
import { viewOf } from './session-view.ts'
import type { Overlay, State } from './state.ts'

const REMEMBERED = 50

/**
 * Shows a session in the centre: its transcript and the rows below it before all else, then its detail, and its row
 * with every row above it.
 */
export function openSession(app: App, id: SessionId, how: 'visit' | 'travel' = 'visit'): void {
  const isRead = app.transcripts.open(id)
  app.store.setState(state => ({
    ...opened(state, id),
    ...(how === 'visit' && state.open !== null && state.open !== id
      ? { past: [...state.past, state.open].slice(-REMEMBERED), future: [] }
      : {}),
  }))
  void isRead
    .then(() => until(app, ({ lists }) => lists.get(id)?.status !== 'loading'))
    .then(() => app.sessions.loadDetail(id))
    .then(() => revealRow(app, id))
}

function opened(state: State, id: SessionId): Partial<State> {
  const unseen = new Set(state.unseen)
  unseen.delete(id)
  return { open: id, readAnyway: null, unseen }
}

export function goBack(app: App): void {
  const { past, open, future } = app.store.getState()
  const to = past.at(-1)
  if (to === undefined) return
  app.store.setState({ past: past.slice(0, -1), future: open === null ? future : [open, ...future] })
  openSession(app, to, 'travel')
}

export function goForward(app: App): void {
  const { past, open, future } = app.store.getState()
  const [to, ...rest] = future
  if (to === undefined) return
  app.store.setState({ future: rest, past: open === null ? past : [...past, open] })
  openSession(app, to, 'travel')
}

/** Opens the ancestor chain of a row, reading what is not listed yet. */
export function revealRow(app: App, id: SessionId): void {
  const above = lineageOf(app.store.getState(), id).slice(0, -1)
  if (above.length === 0) return
  expandAll(app, above)
}

export function setExpanded(app: App, id: SessionId, expanded: boolean): void {
  app.store.setState(state => {
    const next = new Set(state.expanded)
    if (expanded) next.add(id)
    else next.delete(id)
    return { expanded: next }
  })
  const list = app.store.getState().lists.get(id)
  if (expanded && (list === undefined || list.status === 'failed')) void app.children.load(id)
  if (!expanded) app.children.giveUp(id)
}

/** Opens several rows in one step, and reads what is not listed yet. */
export function expandAll(app: App, ids: readonly SessionId[]): void {
  app.store.setState(state => ({ expanded: new Set([...state.expanded, ...ids]) }))
  app.children.loadAll(ids.filter(id => app.store.getState().lists.get(id)?.status !== 'ready'))
}

export function toggleGroup(app: App, key: string): void {
  app.store.setState(({ closedGroups }) => {
    const next = new Set(closedGroups)
    if (!next.delete(key)) next.add(key)
    return { closedGroups: next }
  })
}

export function showOverlay(app: App, overlay: Overlay): void {
  app.store.setState({ overlay })
}

export function closeOverlay(app: App): void {
  app.store.setState({ overlay: { kind: 'none' } })
}

export function focusComposer(app: App): void {
  app.store.setState(({ composerFocus }) => ({ composerFocus: composerFocus + 1 }))
}

/** Stops a session: a child's turn, or a root with everything under it. */
export async function stopSession(app: App, id: SessionId): Promise<void> {
  const { state, label } = named(app, id)
  const call = state.parents.has(id)
    ? app.client.subagents.interrupt({ childId: id })
    : app.client.subagents.stopTree({ sessionId: id })
  await call.catch((error: unknown) => app.report(`${label} could not be stopped`, error))
}

export async function stopTree(app: App, id: SessionId): Promise<void> {
  const { label } = named(app, id)
  await app.client.subagents
    .stopTree({ sessionId: id })
    .catch((error: unknown) => app.report(`${label} and its children could not be stopped`, error))
}

/** Opens a session with the composer in focus: sending resumes it. */
export function resumeSession(app: App, id: SessionId): void {
  openSession(app, id)
  focusComposer(app)
}

export async function renameSession(app: App, id: SessionId, title: string): Promise<boolean> {
  try {
    await app.client.sessions.rename({ sessionId: id, title })
    await app.sessions.refreshRoots()
    return true
  } catch (error) {
    app.report('The session could not be renamed', error)
    return false
  }
}

/** A new session in a folder: the one last used when none is given, else the person is asked for one. */
export async function newSession(app: App, cwd?: string): Promise<void> {
  const { settings, host, open, summaries } = await ready(app)
  const current = open === null ? undefined : summaries.get(open)?.header.cwd
  const folder = cwd ?? current ?? settings?.workspaces[0] ?? host?.workspace ?? (await askForFolder(app))
  if (folder === null) return
  try {
    const { sessionId } = await app.client.sessions.create({ cwd: folder })
    await app.sessions.refreshRoots()
    openSession(app, sessionId)
    focusComposer(app)
  } catch (error) {
    app.report(`A session in ${folder} could not be started`, error)
  }
}

/** A window that has just opened does not know its folders yet: not known is not absent. */
function ready(app: App): Promise<State> {
  return until(
    app,
    ({ host, settings, roots }) => host !== null && settings !== null && roots.status !== 'loading',
  )
}

/** Resolves with the first state of which it is true, the current one at once. */
function until({ store }: App, isSo: (state: State) => boolean): Promise<State> {
  return new Promise(resolve => {
    const state = store.getState()
    if (isSo(state)) return resolve(state)
    const stop = store.subscribe(next => {
      if (!isSo(next)) return
      stop()
      resolve(next)
    })
  })
}

/** Picks a folder, remembers it and starts a session in it. */
export async function openFolder(app: App): Promise<void> {
  const folder = await askForFolder(app)
  if (folder !== null) await openWorkspace(app, folder)
}

export async function openWorkspace(app: App, folder: string): Promise<void> {
  try {
    const { path } = await app.client.workspaces.open({ path: folder })
    await app.sessions.refreshModels()
    await newSession(app, path)
  } catch (error) {
    app.report(`${folder} could not be opened`, error)
  }
}

/** The system's dialog where there is one; else our own opens, which goes on by itself. */
async function askForFolder(app: App): Promise<string | null> {
  if (app.chooseFolder !== null) return await app.chooseFolder()
  showOverlay(app, { kind: 'folder' })
  return null
}

/** "Continue in a new session": a root of its own with this history. */
export async function forkSession(app: App, id: SessionId, atSeq?: number): Promise<void> {
  const { label } = named(app, id)
  try {
    const { sessionId } = await app.client.sessions.fork({
      sessionId: id,
      ...(atSeq !== undefined && { atSeq }),
    })
    await app.sessions.refreshRoots()
    openSession(app, sessionId)
    focusComposer(app)
  } catch (error) {
    app.report(`${label} could not be continued in a new session`, error)
  }
}

export function dismissProblem(app: App): void {
  app.store.setState({ problem: null })
}

/** The `report` of an app: what could not be done stays on screen until it is dismissed. */
export function createReport(
  store: App['store'],
  log: (message: string, detail: unknown) => void,
): App['report'] {
  return (title, error) => {
    const failure = failureOf(error)
    log(title, error)
    if (failure.code === 'CANCELLED') return
    store.setState(({ problem }) => ({ problem: { id: (problem?.id ?? 0) + 1, title, failure } }))
  }
}

function named(app: App, id: SessionId): { readonly state: State; readonly label: string } {
  const state = app.store.getState()
  const view = viewOf(state, id)
  return { state, label: view?.kind === 'session' ? view.label : id }
}

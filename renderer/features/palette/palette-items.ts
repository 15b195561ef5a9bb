import { type SessionId, shortId } from '#shared/session/ids.ts'
import { type DiagnosticEntry, diagnosticReason } from '#shared/subagent/diagnostic-words.ts'
import {
  goBack,
  newSession,
  openFolder,
  openSession,
  resumeSession,
  showOverlay,
  stopSession,
} from '../../store/actions.ts'
import type { App } from '../../store/app.ts'
import { archiveSession, trashSession, unarchiveSession } from '../../store/put-away.ts'
import { labelOf } from '../../store/row-words.ts'
import { lineageOf } from '../../store/selectors.ts'
import { type AnyView, elapsedMs, viewOf } from '../../store/session-view.ts'
import type { State } from '../../store/state.ts'
import { folderName, formatDuration } from '../../ui/format.ts'
import type { IconName } from '../../ui/icon.tsx'
import type { MarkKind } from '../../ui/status-mark.tsx'

export interface PaletteItem {
  readonly key: string
  /** A session has a mark, an action an icon. */
  readonly mark: MarkKind | null
  readonly icon: IconName
  readonly label: string
  readonly detail: string
  readonly aside: string
  readonly keys: readonly string[] | null
  readonly run: () => void
}

const SHOWN = 40
/** In short words everything is found somewhere in a path. */
const PATH_WORD = 3

/** Everything the palette can reach: sessions, the children listed so far, what can be done with the open one. */
export function itemsOf(app: App): readonly PaletteItem[] {
  const state = app.store.getState()
  const ids = [...state.summaries.keys(), ...state.entries.keys()]
  const sessions = ids.flatMap(id => {
    const view = viewOf(state, id)
    return view === null ? [] : [sessionItem(app, state, view)]
  })
  return [...sessions, ...openItems(app, state), ...generalItems(app)]
}

/** What begins with the words first, then what contains them, then what has their letters in order. */
export function search(items: readonly PaletteItem[], query: string): readonly PaletteItem[] {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') {
    const actions = items.filter(item => item.mark === null)
    return [...items.filter(item => item.mark !== null).slice(0, 8), ...actions]
  }
  const ranked = items
    .map(item => ({ item, rank: rankOf(item, wanted) }))
    .filter(({ rank }) => rank < 4)
    .sort((one, other) => one.rank - other.rank)
  return ranked.slice(0, SHOWN).map(({ item }) => item)
}

function rankOf({ label, detail }: PaletteItem, wanted: string): number {
  const text = label.toLowerCase()
  if (text.startsWith(wanted)) return 0
  if (text.includes(wanted)) return 1
  if (wanted.length >= PATH_WORD && detail.toLowerCase().includes(wanted)) return 2
  return isScattered(text, wanted) ? 3 : 4
}

function isScattered(text: string, wanted: string): boolean {
  let from = 0
  for (const char of wanted) {
    const at = text.indexOf(char, from)
    if (at < 0) return false
    from = at + 1
  }
  return wanted.length > 2
}

function sessionItem(app: App, state: State, view: AnyView): PaletteItem {
  const elapsed = view.kind === 'session' ? elapsedMs(view, Date.now()) : null
  return {
    key: view.id,
    mark: view.kind === 'diagnostic' ? 'unreadable' : view.status.mark,
    icon: 'list',
    label: labelOf(view),
    detail: view.kind === 'diagnostic' ? unreadableDetail(view.entry) : pathOf(state, view.id),
    aside: elapsed === null || elapsed === 0 ? '' : formatDuration(elapsed),
    keys: null,
    run: () => openSession(app, view.id),
  }
}

function unreadableDetail(entry: DiagnosticEntry): string {
  return `${shortId(entry.id)}, ${diagnosticReason(entry)}`
}

function pathOf(state: State, id: SessionId): string {
  const above = lineageOf(state, id).slice(0, -1)
  if (above.length === 0) return folderName(state.summaries.get(id)?.header.cwd ?? '')
  return above
    .map(ancestor => viewOf(state, ancestor))
    .map(view => (view === null ? '…' : labelOf(view)))
    .join(' / ')
}

function action(
  icon: IconName,
  label: string,
  run: () => void,
  keys: readonly string[] | null = null,
): PaletteItem {
  return { key: `action:${label}`, mark: null, icon, label, detail: '', aside: '', keys, run }
}

function openItems(app: App, state: State): PaletteItem[] {
  const view = state.open === null ? null : viewOf(state, state.open)
  if (view?.kind !== 'session') return []
  const { id, label, status } = view
  const alive = status.state === 'running' || status.state === 'waiting' || status.state === 'queued'
  return [
    ...(alive ? [action('stop', `Stop ${label}`, () => void stopSession(app, id))] : []),
    ...(!alive && view.mode === 'continuable'
      ? [action('play', `Resume ${label}`, () => resumeSession(app, id))]
      : []),
    ...(view.mode === 'session'
      ? [
          action('pencil', 'Rename session', () => showOverlay(app, { kind: 'rename', sessionId: id }), [
            'F2',
          ]),
          view.archived
            ? action('archive', 'Bring session back from the archive', () => void unarchiveSession(app, id))
            : action('archive', 'Archive session', () => void archiveSession(app, id), ['Del']),
          action('trash', 'Move session to trash', () => void trashSession(app, id), ['Shift', 'Del']),
        ]
      : []),
  ]
}

function generalItems(app: App): PaletteItem[] {
  const set = (patch: Partial<State>) => () => app.store.setState(patch)
  const { sidebarShown, inspectorShown } = app.store.getState()
  return [
    action('plus', 'New session', () => void newSession(app), ['Ctrl', 'N']),
    action('folder', 'Open a folder', () => void openFolder(app), ['Ctrl', 'O']),
    action('arrowLeft', 'Back', () => goBack(app), ['Alt', '←']),
    action(
      'panelLeft',
      sidebarShown ? 'Hide sidebar' : 'Show sidebar',
      set({ sidebarShown: !sidebarShown }),
      ['Ctrl', 'B'],
    ),
    action(
      'panelRight',
      inspectorShown ? 'Hide inspector' : 'Show inspector',
      set({ inspectorShown: !inspectorShown }),
      ['Ctrl', 'I'],
    ),
    action('plug', 'Providers', () => showOverlay(app, { kind: 'settings', page: 'providers' })),
    action('down', 'Import sessions', () => showOverlay(app, { kind: 'settings', page: 'import' })),
    action('box', 'Storage: space, trash, backups', () =>
      showOverlay(app, { kind: 'settings', page: 'storage' }),
    ),
    action('gear', 'Settings', () => showOverlay(app, { kind: 'settings', page: 'appearance' }), [
      'Ctrl',
      ',',
    ]),
    action('help', 'Keyboard shortcuts', () => showOverlay(app, { kind: 'shortcuts' }), ['?']),
  ]
}

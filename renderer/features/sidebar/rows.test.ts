import { describe, expect, it } from 'vitest'
import type { SessionId } from '#shared/session/ids.ts'
import { entryOf, pendingOf, rollupOf, summaryOf } from '../../gallery/answers.ts'
import { fixtureId } from '../../gallery/fixture-ids.ts'
import { deepSpecs, mockSpecs } from '../../gallery/fixtures.ts'
import { type ActorSpec, createWorld, type World } from '../../gallery/world.ts'
import { rowName } from '../../store/row-words.ts'
import { viewOf } from '../../store/session-view.ts'
import { INITIAL_STATE, type State } from '../../store/state.ts'
import type { Row } from './row.ts'
import { createRows, rowsOf } from './rows.ts'

/** A state that holds everything of a world, as after all its lists were read. */
function stateOf(specs: readonly ActorSpec[], expanded: readonly SessionId[] = []): State {
  const world = createWorld(1_000_000_000, specs)
  const parents = [...world.actors.values()].filter(actor => actor.children.length > 0)
  return {
    ...INITIAL_STATE,
    roots: { status: 'ready', failure: null },
    summaries: new Map(world.roots.map(id => [id, summaryOf(world, id)])),
    entries: new Map(
      [...world.actors.values()]
        .filter(({ parent }) => parent !== null)
        .map(({ id }) => [id, entryOf(world, id)]),
    ),
    lists: new Map(
      parents.map(({ id, children }) => [
        id,
        { status: 'ready', entries: children.map(child => entryOf(world, child)), failure: null },
      ]),
    ),
    parents: new Map(
      [...world.actors.values()].flatMap(({ id, parent }) =>
        parent === null ? [] : [[id, parent] as const],
      ),
    ),
    live: world.actors.size > 500 ? new Map() : liveRollups(world),
    approvals: pendingOf(world),
    expanded: new Set(expanded),
  }
}

function liveRollups(world: World): State['live'] {
  return new Map(
    [...world.actors.keys()].map(id => [
      id,
      { epoch: 0, floor: -1, cells: new Map(), rollup: rollupOf(world, id) },
    ]),
  )
}

const refactor = fixtureId('/Refactor the parser')
const rewrite = fixtureId(`${refactor}/Rewrite in one pass`)

function outline(state: State, rows: readonly Row[] = rowsOf(state)): string[] {
  return rows.map(row => {
    if (row.kind === 'group') return `# ${row.label} ${row.count}`
    if (row.kind === 'session' || row.kind === 'diagnostic') {
      const view = viewOf(state, row.id)
      return `${'  '.repeat(row.depth)}${view === null ? row.id : rowName(view)}`
    }
    return `${'depth' in row ? '  '.repeat(row.depth) : ''}(${row.kind})`
  })
}

describe('the rows of the sidebar', () => {
  it('show every session under what it needs, children collapsed', () => {
    expect(outline(stateOf(mockSpecs()))).toEqual([
      '# Needs you 2',
      'Check error recovery, continuable, waiting for approval',
      'Draft the release notes, session, waiting for approval',
      '# Working 2',
      'Refactor the parser, session, running, 1 descendant waiting for approval',
      'Speed up cold start, session, running',
      '# quill 3',
      'Trim the CLI help text, session, completed',
      'Why is CI slow on Windows, session, ready',
      'Drop the legacy AST, session, failed',
      '# orchard-api 1',
      'Paginate the audit log, session, completed',
      '# Archived 1',
    ])
  })

  it('show children at any depth under their parent, diagnostics among them', () => {
    const state = stateOf(mockSpecs(), [refactor, rewrite])
    expect(outline(state).slice(4, 16)).toEqual([
      'Refactor the parser, session, running, 1 descendant waiting for approval',
      '  Audit the parser, continuable, completed',
      '  Rewrite in one pass, continuable, running, 1 descendant waiting for approval',
      '    Check error recovery, continuable, waiting for approval',
      '    9f3c21ab, one-shot, failed',
      '    Map spans to tokens, one-shot, running',
      '  Benchmark the lexer, one-shot, completed',
      '  Update grammar docs, continuable, interrupted',
      '  Port fixture tests, continuable, stopped',
      '  Fuzz the new parser, one-shot, queued',
      '  Record damaged, c41d70e2, descriptor missing',
      'Speed up cold start, session, running',
    ])
  })

  it('say where a row stands among its siblings', () => {
    const rows = rowsOf(stateOf(mockSpecs(), [refactor]))
    expect(rows.find(row => row.key === rewrite)).toMatchObject({
      depth: 1,
      position: 2,
      setSize: 7,
      expanded: false,
    })
  })

  it('say that children are being read, never that there are none', () => {
    const state = stateOf(mockSpecs(), [refactor])
    const loading = { ...state, lists: new Map(state.lists).set(refactor, { status: 'loading' as const }) }
    expect(outline(loading)[5]).toBe('  (loading)')
  })

  it('say that children could not be read, and keep the rows of before below it', () => {
    const state = stateOf(mockSpecs(), [refactor])
    const failure = { code: 'STORE_UNAVAILABLE' as const, detail: '', incident: null }
    const failed = {
      ...state,
      lists: new Map(state.lists).set(refactor, { status: 'failed' as const, failure }),
    }
    expect(outline(failed)[5]).toBe('  (failed)')
    const list = state.lists.get(refactor)
    const stale = { ...state, lists: new Map(state.lists).set(refactor, { ...list, failure } as never) }
    expect(outline(stale)).toContain('  Audit the parser, continuable, completed')
    expect(outline(stale)).toContain('  (failed)')
  })

  it('never fold a waiting row away with its group', () => {
    const state = { ...stateOf(mockSpecs()), closedGroups: new Set(['needs', 'working', 'archived']) }
    const lines = outline(state)
    expect(lines).toContain('Draft the release notes, session, waiting for approval')
    expect(lines).toContain('Refactor the parser, session, running, 1 descendant waiting for approval')
    expect(lines).not.toContain('Speed up cold start, session, running')
  })

  it('leave, for a search, what matches and everything above it', () => {
    const state = { ...stateOf(mockSpecs()), query: 'SPANS' }
    expect(outline(state)).toEqual([
      '# Working 1',
      'Refactor the parser, session, running, 1 descendant waiting for approval',
      '  Rewrite in one pass, continuable, running, 1 descendant waiting for approval',
      '    Map spans to tokens, one-shot, running',
    ])
  })

  it('open, in a search, below a row that matches; with a filter nothing but what it leaves', () => {
    const state = { ...stateOf(mockSpecs(), [refactor]), query: 'refactor the' }
    expect(outline(state)).toHaveLength(2 + 7)
    expect(rowsOf({ ...state, expanded: new Set() })[1]).toMatchObject({ expanded: false })
    const failed = outline({ ...state, query: '', filter: 'failed' })
    expect(failed).toContain('    9f3c21ab, one-shot, failed')
    expect(failed.join()).not.toContain('Audit the parser')
  })

  it('go as deep as the tree does', () => {
    const state = stateOf(deepSpecs(3000))
    const open = { ...state, expanded: new Set([...state.summaries.keys(), ...state.entries.keys()]) }
    const rows = rowsOf(open)
    expect(rows.at(-1)).toMatchObject({ depth: 3000 })
  })

  it('end at a cycle that damaged records claim', () => {
    const state = stateOf(deepSpecs(2))
    const [root] = state.summaries.keys()
    const ids = [...state.entries.keys()]
    const last = ids.at(-1)
    if (root === undefined || last === undefined) throw new Error('the fixture has two levels')
    const entries = ids.flatMap(id => state.entries.get(id) ?? [])
    const lists = new Map(state.lists).set(last, { status: 'ready' as const, entries, failure: null })
    const rows = rowsOf({ ...state, lists, expanded: new Set([root, ...ids]) })
    expect(new Set(rows.map(row => row.key)).size).toBe(rows.length)
  })

  it('keep the objects of rows that did not change, and the list when none did', () => {
    const state = stateOf(mockSpecs(), [refactor])
    const rows = createRows()
    const before = rows(state)
    expect(rows({ ...state })).toBe(before)
    const after = rows({ ...state, expanded: new Set([refactor, rewrite]) })
    expect(after).not.toBe(before)
    expect(after[0]).toBe(before[0])
    expect(after.find(row => row.key === rewrite)).not.toBe(before.find(row => row.key === rewrite))
  })
})

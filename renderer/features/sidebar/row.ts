import type { SessionId } from '#shared/session/ids.ts'

/** Where a tree row stands among its siblings, for those who cannot see it. */
export interface Place {
  readonly depth: number
  readonly position: number
  readonly setSize: number
}

export type TreeRow = Place & {
  readonly kind: 'session' | 'diagnostic'
  readonly key: string
  readonly id: SessionId
  readonly parentKey: string | null
  /** `null`: there is nothing below it. */
  readonly expanded: boolean | null
  readonly two: boolean
  /** A second row of a child that asks: since when, and under whom. */
  readonly asking: {
    readonly since: number
    readonly rootId: SessionId
    readonly path: readonly string[]
  } | null
}

/** A root whose header cannot be read. */
export type RecordRow = Place & {
  readonly kind: 'record'
  readonly key: string
  readonly id: string
  readonly problem: string
}

/** What stands between tree rows and is none itself. */
export type OtherRow =
  | {
      readonly kind: 'group'
      readonly key: string
      readonly group: string
      readonly label: string
      readonly count: number
      readonly open: boolean
      readonly needs: boolean
      readonly first: boolean
    }
  | { readonly kind: 'more'; readonly key: string; readonly group: string; readonly hidden: number }
  | { readonly kind: 'loading'; readonly key: string; readonly parentId: SessionId; readonly depth: number }
  | { readonly kind: 'failed'; readonly key: string; readonly parentId: SessionId; readonly depth: number }

export type Row = TreeRow | RecordRow | OtherRow

/** Of a row of one line, in px. These are the tokens `--row-height` and `--row-height-two`, and those of other rows. */
export const ROW_HEIGHT = 28
const ROW_HEIGHT_TWO = 44

export function rowHeight(row: Row): number {
  if (row.kind === 'group') return row.first ? 26 : 32
  if (row.kind === 'more') return 26
  return row.kind === 'record' || ('two' in row && row.two) ? ROW_HEIGHT_TWO : ROW_HEIGHT
}

export function isTreeRow(row: Row): row is TreeRow | RecordRow {
  return row.kind === 'session' || row.kind === 'diagnostic' || row.kind === 'record'
}

/** Levels that are drawn at their whole indent. */
const WHOLE = 5
/** Of an indent, for each level below those. */
const PART = 0.375
const DEEPEST = 9

/** Indents before a row. Deep rows come closer together, so that their labels keep room; `aria-level` tells the truth. */
export function indentOf(depth: number): number {
  return Math.min(DEEPEST, depth <= WHOLE ? depth : WHOLE + (depth - WHOLE) * PART)
}

import type { ExportWriter, LogItem, Section } from './export-shapes.ts'

/** Raise it with every change that a reader of these files must know of. */
const FORMAT = 1

/**
 * One JSON value a line. `export` first, `end` last (a file without it was cut off); for each session a `session` line
 * with its header, then its log: an `event` line holds what the store holds, unknown types included.
 */
export function createJsonlWriter(): ExportWriter {
  let session = ''
  return {
    takesOutput: () => true,
    begin: ({ sections, isTree, isRedacted, exportedAt, version }) =>
      line({
        kind: 'export',
        format: FORMAT,
        by: `Espalier ${version}`,
        exportedAt,
        root: sections[0]?.id,
        tree: isTree,
        redacted: isRedacted,
        sessions: sections.length,
      }),
    open(section, header) {
      session = section.id
      return line({ kind: 'session', ...headOf(section), header })
    },
    item: item => lineOf(session, item),
    close: () => '',
    end: totals => line({ kind: 'end', ...totals }),
  }
}

function headOf({ id, parentId, depth, label, mode, state }: Section) {
  return { session: id, parent: parentId, depth, label, mode, state }
}

function lineOf(session: string, item: LogItem): string {
  switch (item.kind) {
    case 'event': {
      const { seq, time, type, data, ignorable } = item.event
      return line({ kind: 'event', session, seq, time, type, data, ...(ignorable && { ignorable }) })
    }
    case 'closer':
      return ''
    case 'damage':
      return line({ kind: 'damage', session, damage: item.damage })
    case 'output':
      return line({ session, ...item })
    case 'problem':
    case 'row':
      return line({ session, ...item })
  }
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`
}

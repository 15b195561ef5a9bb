import type { SessionId } from '#shared/session/ids.ts'
import type { OutputStore } from '../store/output-store.ts'
import type { ExportHead, ExportWriter, Section } from './export-shapes.ts'
import { type LogSources, readLog } from './read-log.ts'
import { outputItems, outputOf } from './read-output.ts'
import { createRedaction, NO_REDACTION } from './redact-items.ts'

export interface TextSources extends LogSources {
  readonly outputs: Pick<OutputStore, 'read'>
  /** Values that are secret for certain. */
  known(): readonly string[]
}

/** A piece of the file, and how far the export is with it. */
export interface ExportPiece {
  readonly text: string
  /** Written so far. */
  readonly sessions: number
  readonly events: number
}

/**
 * The whole file in pieces of a few events at most, made as they are asked for. Ends with the reason of `signal`. A
 * session that cannot be read costs its section a sentence, and no other section anything.
 */
export async function* exportText(
  sources: TextSources,
  writer: ExportWriter,
  head: ExportHead,
  signal?: AbortSignal,
): AsyncGenerator<ExportPiece> {
  const known = sources.known()
  const redaction = head.isRedacted ? createRedaction(known) : NO_REDACTION
  const totals = { sessions: 0, events: 0 }
  const piece = (text: string): ExportPiece => ({ text, ...totals })
  const sections = head.sections.map(redaction.section)

  yield piece(writer.begin({ ...head, sections }))
  for (const section of sections) yield* sectionText(section)
  yield piece(writer.end(totals))

  async function* sectionText(section: Section): AsyncGenerator<ExportPiece> {
    const log = await readLog(sources, section.id, signal)
    yield piece(writer.open(section, redaction.value(log.header)))
    for await (const item of log.items) {
      signal?.throwIfAborted()
      if (item.kind === 'event') totals.events += 1
      yield piece(writer.item(redaction.item(item)))
      const ref = item.kind === 'event' ? outputOf(item.event) : null
      if (ref !== null && writer.takesOutput(ref.bytes)) yield* outputText(section.id, ref)
    }
    totals.sessions += 1
    yield piece(writer.close())
  }

  async function* outputText(sessionId: SessionId, ref: Parameters<typeof outputItems>[0]['ref']) {
    const request = { outputs: sources.outputs, sessionId, ref, redact: head.isRedacted ? { known } : null }
    for await (const item of outputItems(request, signal)) yield piece(writer.item(item))
  }
}

import { randomUUID } from 'node:crypto'
import type { ExportPart, ExportRequest, ExportStarted } from '#shared/contract/export-shapes.ts'
import { WorkbenchError } from '#shared/errors.ts'
import type { ExportHead, ExportWriter } from './export-shapes.ts'
import { type ExportPiece, exportText, type TextSources } from './export-text.ts'
import { createHtmlWriter } from './html-writer.ts'
import { createJsonlWriter } from './jsonl-writer.ts'
import { createMarkdownWriter } from './markdown-writer.ts'

/** Characters of a file that are handed over at a time, about. */
const PART_LENGTH = 262_144
/** A window that is gone does not say so. */
const FORGOTTEN_MS = 10 * 60_000
const MOST_OPEN = 16

const WRITERS: Readonly<Record<ExportRequest['format'], () => ExportWriter>> = {
  md: createMarkdownWriter,
  html: createHtmlWriter,
  jsonl: createJsonlWriter,
}

interface ExportsDeps {
  readonly sources: TextSources
  /** What is in it, `null` for an unknown session. */
  readonly plan: (request: ExportRequest, signal?: AbortSignal) => Promise<ExportPlan>
}

export interface ExportPlan {
  readonly head: ExportHead
  /** Events that the records say they have, for progress. */
  readonly events: number
}

interface OpenExport {
  readonly pieces: AsyncGenerator<ExportPiece>
  readonly cancel: AbortController
  reading: boolean
  usedAt: number
}

/**
 * Exports in progress. They are pulled part by part, so a slow reader costs no memory, and a cancelled one no work.
 * Nothing is written by them.
 */
export class Exports {
  readonly #deps: ExportsDeps
  readonly #open = new Map<string, OpenExport>()

  constructor(deps: ExportsDeps) {
    this.#deps = deps
  }

  /** Rejects with `SESSION_NOT_FOUND`. */
  async start(request: ExportRequest, signal?: AbortSignal): Promise<ExportStarted> {
    const plan = await this.#deps.plan(request, signal)
    this.#forgetOld()
    const id = randomUUID()
    const cancel = new AbortController()
    const pieces = exportText(this.#deps.sources, WRITERS[request.format](), plan.head, cancel.signal)
    this.#open.set(id, { pieces, cancel, reading: false, usedAt: performance.now() })
    const { sections } = plan.head
    return { exportId: id, label: sections[0]?.label ?? '', sessions: sections.length, events: plan.events }
  }

  /** Rejects with `BAD_REQUEST` for an export that is over or being read, else as reading a log does; then it is over. */
  async read(id: string, signal?: AbortSignal): Promise<ExportPart> {
    const open = this.#open.get(id)
    if (open === undefined || open.reading) {
      throw new WorkbenchError('BAD_REQUEST', 'This export is over. Start it again.')
    }
    open.reading = true
    const stop = () => this.cancel(id)
    signal?.addEventListener('abort', stop, { once: true })
    try {
      const part = await nextPart(open.pieces)
      open.usedAt = performance.now()
      if (part.done) this.#open.delete(id)
      return part
    } catch (error) {
      this.cancel(id)
      throw error
    } finally {
      signal?.removeEventListener('abort', stop)
      open.reading = false
    }
  }

  /** Idempotent. */
  cancel(id: string): void {
    const open = this.#open.get(id)
    this.#open.delete(id)
    open?.cancel.abort()
  }

  #forgetOld(): void {
    const now = performance.now()
    for (const [id, { usedAt }] of this.#open) {
      if (now - usedAt > FORGOTTEN_MS || this.#open.size >= MOST_OPEN) this.cancel(id)
    }
  }
}

async function nextPart(pieces: AsyncGenerator<ExportPiece>): Promise<ExportPart> {
  const texts: string[] = []
  let length = 0
  let progress = { sessions: 0, events: 0 }
  while (length < PART_LENGTH) {
    const next = await pieces.next()
    if (next.done === true) return { text: texts.join(''), ...progress, done: true }
    const { text, ...reached } = next.value
    texts.push(text)
    length += text.length
    progress = reached
  }
  return { text: texts.join(''), ...progress, done: false }
}

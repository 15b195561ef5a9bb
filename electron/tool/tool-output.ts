import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '#shared/errors.ts'
import type { OutputRef } from '#shared/session/events.ts'
import { byteSize } from './amount-text.ts'
import { createOutputWindow } from './output-window.ts'

/**
 * Stores bytes of one output that begin at `from`, durable when it resolves. The buffer is handed over. Rejects when they
 * could not be stored.
 */
export type KeepBytes = (from: number, bytes: Uint8Array<ArrayBuffer>) => Promise<void>

/** Where a tool puts an output that may be large: stored whole, given to the model by its two ends. */
export interface ToolOutput {
  /**
   * Adds bytes, in the order of the calls; the caller may use its buffer again at once. Resolves when there is room for
   * more: a tool that waits for it never fills memory, however fast its source is. Never rejects.
   */
  write(bytes: Uint8Array): Promise<void>
  /** Everything written is durable, or it is said what is not. Idempotent. Never rejects. */
  finish(): Promise<FinishedOutput>
}

export interface FinishedOutput {
  /** What the model reads: all of it, or both ends with a line that says what is cut. Well-formed. */
  readonly text: string
  /** Bytes that were written, kept or not. */
  readonly bytes: number
  readonly lines: number
  /** It holds zero bytes: it is no text. */
  readonly binary: boolean
  /** For `ToolOutcome.output`; `null` when `text` says it all. */
  readonly ref: OutputRef | null
}

export interface ToolOutputOptions {
  readonly keep: KeepBytes
  readonly id: string
  readonly partBytes?: number
  readonly maxBytes?: number
  /** Bytes are stored at the latest so long after they came. */
  readonly waitMs?: number
  /** A store that takes longer for a part is given up. */
  readonly patienceMs?: number
}

const HEAD = 24_000
const TAIL = 24_000
/** Parts under way before the writer is held up. */
const PARTS_AHEAD = 4
/** Pauses before a failed part is tried again. */
const RETRY_MS = [100, 500]

export function createToolOutput({
  keep,
  id,
  partBytes = 262_144,
  maxBytes = 2 ** 30,
  waitMs = 1000,
  patienceMs = 20_000,
}: ToolOutputOptions): ToolOutput {
  const shown = createOutputWindow(HEAD, TAIL)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let total = 0
  let newlines = 0
  let lastByte = 0x0a
  let binary = false
  let replaced = false
  let part: Uint8Array<ArrayBuffer> | null = null
  let filled = 0
  /** Bytes handed to the store, and those of them that it has. */
  let handed = 0
  let kept = 0
  let problem: string | null = null
  let timer: NodeJS.Timeout | null = null
  let ahead = 0
  let storing: Promise<void> = Promise.resolve()
  let finished: Promise<FinishedOutput> | null = null

  function show(text: string): void {
    replaced ||= text.includes('\ufffd')
    shown.add(text)
  }

  function look(bytes: Uint8Array): void {
    total += bytes.length
    binary ||= bytes.includes(0)
    for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) newlines += 1
    lastByte = bytes.at(-1) ?? lastByte
    if (!binary) show(decoder.decode(bytes, { stream: true }))
  }

  function collect(bytes: Uint8Array): void {
    let rest = bytes.subarray(0, Math.max(0, maxBytes - handed - filled))
    while (rest.length > 0) {
      part ??= new Uint8Array(partBytes)
      const piece = rest.subarray(0, partBytes - filled)
      part.set(piece, filled)
      filled += piece.length
      rest = rest.subarray(piece.length)
      if (filled === partBytes) handOver()
      else timer ??= setTimeout(handOver, waitMs).unref()
    }
  }

  function handOver(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (part === null || filled === 0) return
    const bytes = filled === partBytes ? part : part.slice(0, filled)
    if (filled === partBytes) part = null
    filled = 0
    const from = handed
    handed += bytes.length
    ahead += 1
    storing = storing.then(() => store(from, bytes)).finally(() => (ahead -= 1))
  }

  /** A prefix is kept, without holes: what comes after a part that could not be stored is not stored either. */
  async function store(from: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    if (problem !== null) return
    const { length } = bytes
    try {
      await withRetries(keep, from, bytes, patienceMs)
      kept = from + length
    } catch (error) {
      problem = messageOf(error)
    }
  }

  async function end(): Promise<FinishedOutput> {
    show(decoder.decode())
    const isPartial = binary || replaced || shown.isCut()
    if (isPartial || handed > 0) handOver()
    if (timer !== null) clearTimeout(timer)
    await storing
    const lines = newlines + (lastByte === 0x0a ? 0 : 1)
    const isComplete = kept === total
    const ref: OutputRef = {
      id,
      bytes: kept,
      ...(binary ? { binary } : { lines }),
      ...(!isComplete && { complete: false as const }),
    }
    const text = binary ? `[Binary output of ${byteSize(total)}, not shown.]` : shown.text().toWellFormed()
    const lost = isPartial && !isComplete ? `\n[${lossText(kept, maxBytes, problem)}]` : ''
    return { text: text + lost, bytes: total, lines, binary, ref: isPartial ? ref : null }
  }

  return {
    write: async bytes => {
      if (finished !== null) return
      look(bytes)
      if (problem === null) collect(bytes)
      if (ahead >= PARTS_AHEAD) await storing
    },
    finish: () => (finished ??= end()),
  }
}

function lossText(kept: number, maxBytes: number, problem: string | null): string {
  if (problem === null) return `Output beyond ${binarySize(maxBytes)} was not kept.`
  const what = kept === 0 ? 'Nothing of the whole output' : `Only the first ${byteSize(kept)} of the output`
  return `${what} could be kept: ${problem.replace(/\.$/, '')}.`
}

function binarySize(bytes: number): string {
  if (bytes > 0 && bytes % 2 ** 30 === 0) return `${bytes / 2 ** 30} GiB`
  return bytes > 0 && bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20} MiB` : byteSize(bytes)
}

async function withRetries(
  keep: KeepBytes,
  from: number,
  bytes: Uint8Array<ArrayBuffer>,
  patienceMs: number,
): Promise<void> {
  for (const pauseMs of RETRY_MS) {
    try {
      // A copy: the one that is handed over is gone when the store refuses it.
      await inTime(keep(from, bytes.slice()), patienceMs)
      return
    } catch (error) {
      if (error instanceof OutOfTime) throw error
      await sleep(pauseMs)
    }
  }
  await inTime(keep(from, bytes), patienceMs)
}

class OutOfTime extends Error {}

async function inTime(work: Promise<void>, patienceMs: number): Promise<void> {
  const stop = new AbortController()
  const late = sleep(patienceMs, undefined, { signal: stop.signal, ref: false }).then(
    () => {
      throw new OutOfTime('the session store does not answer')
    },
    () => undefined, // aborted below: the work was in time
  )
  try {
    await Promise.race([work, late])
  } finally {
    stop.abort()
  }
}

import { textContent } from '#shared/session/content.ts'
import type { EventData, NewEvent, OutputRef } from '#shared/session/events.ts'
import type { ActorSpec } from './world.ts'

const LINE_BYTES = 64
const COLOURS = [32, 33, 36, 0]

interface Stored {
  readonly size: number
  readonly read: (from: number, to: number) => Uint8Array<ArrayBuffer>
}

/** What the calls of the gallery put out, made when it is read. */
const OUTPUTS: Readonly<Record<string, Stored>> = {
  'out-long': { size: LINE_BYTES * 468_750, read: lines },
  'out-line': { size: 10_000_000, read: bytesOf(at => 97 + (at % 26)) },
  'out-binary': { size: 1_200_000, read: bytesOf(at => (at * at * 31 + at * 7) % 251) },
  'out-killed': { size: LINE_BYTES * 300, read: lines },
}

function bytesOf(byte: (at: number) => number) {
  return (from: number, to: number) =>
    Uint8Array.from({ length: to - from }, (_, index) => byte(from + index))
}

function lines(from: number, to: number): Uint8Array<ArrayBuffer> {
  const first = Math.floor(from / LINE_BYTES)
  const count = Math.ceil(to / LINE_BYTES) - first
  const text = Array.from({ length: count }, (_, index) => lineOf(first + index)).join('')
  const start = first * LINE_BYTES
  return new TextEncoder().encode(text).slice(from - start, to - start)
}

function lineOf(index: number): string {
  const colour = String(COLOURS[index % COLOURS.length] ?? 0).padStart(2, '0')
  const text = `\u001b[${colour}mok\u001b[0m ${String(index).padStart(8, '0')} parse::fixture`
  return `${text.padEnd(LINE_BYTES - 1, '.')}\n`
}

/** Bytes of a stored output, `null` for one that there is not. */
export function storedBytes(id: string, from: number, length: number) {
  const stored = OUTPUTS[id]
  if (stored === undefined) return null
  const to = Math.max(from, Math.min(stored.size, from + length))
  return { bytes: stored.read(from, to), size: stored.size }
}

function endsOf(id: string): string {
  const decode = (from: number, length: number) =>
    new TextDecoder().decode(storedBytes(id, from, length)?.bytes)
  const size = OUTPUTS[id]?.size ?? 0
  return `${decode(0, 24_000)}\n[… ${(size - 48_000).toLocaleString('en-US')} characters cut …]\n${decode(size - 24_000, 24_000)}`
}

/** What somebody pasted: far more than a window is sent unasked. */
function pastedLog(): string {
  return Array.from({ length: 40_000 }, (_, index) => `${index} GET /orchard/${index % 97} 200 木\n`).join('')
}

type Result = Partial<EventData<'tool/result'>>

function call(callId: string, command: string, result: Result): NewEvent[] {
  const at = { turn: 1, step: 1, callId, name: 'shell' }
  return [
    { type: 'tool/call', data: { ...at, input: { command } } },
    { type: 'tool/result', data: { ...at, status: 'ok', content: [], durationMs: 3200, ...result } },
  ]
}

const kept = (id: string, facts: Partial<OutputRef> = {}): OutputRef => ({
  id,
  bytes: OUTPUTS[id]?.size ?? 0,
  ...facts,
})

/** Large, endless, binary, partly kept and interrupted outputs. */
export function outputSpecs(): readonly ActorSpec[] {
  const events: NewEvent[] = [
    { type: 'turn/start', data: { turn: 1 } },
    {
      type: 'user/message',
      data: {
        id: 'm-out',
        source: { kind: 'person' },
        content: textContent('Run everything, and tell me what it prints.'),
      },
    },
    {
      type: 'user/message',
      data: { id: 'm-log', source: { kind: 'person' }, content: textContent(pastedLog()) },
    },
    ...call('out-long', 'cargo test --workspace -- --nocapture', {
      content: textContent(endsOf('out-long')),
      summary: '30.0 MB',
      output: kept('out-long', { lines: 468_750 }),
    }),
    ...call('out-line', 'node print-one-line.mjs', {
      content: textContent(endsOf('out-line')),
      summary: '10.0 MB',
      output: kept('out-line', { lines: 1, complete: false }),
    }),
    ...call('out-binary', 'cat target/debug/quill', {
      content: textContent('[Binary output of 1.2 MB, not shown.]'),
      summary: 'binary, 1.2 MB',
      output: kept('out-binary', { binary: true }),
    }),
    ...call('out-killed', 'cargo bench', {
      status: 'error',
      code: 'TOOL_OUTCOME_UNKNOWN',
      content: textContent('The application stopped while this tool was running.'),
    }),
    { type: 'turn/end', data: { turn: 1, reason: { kind: 'interrupted' } } },
  ]
  return [
    { label: 'Print everything', cwd: '/home/ada/code/quill', outcome: { kind: 'interrupted' }, events },
  ]
}

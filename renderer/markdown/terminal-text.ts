// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are the subject
import Anser from 'anser'

export type TerminalHue = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'muted'

/** A run of text of one look. Nothing but printable characters, spaces and tabs. */
export interface TerminalPiece {
  readonly text: string
  readonly hue?: TerminalHue
  readonly ground?: TerminalHue
  readonly strong?: true
  readonly dim?: true
  readonly italic?: true
  readonly underline?: true
}
export type TerminalLine = readonly TerminalPiece[]

const ESC = '\u001b'
// OSC, DCS, SOS, PM and APC strings up to their terminator or, unfinished, to the end of the line.
const STRINGS =
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u009c|\u001b\\)?/g
const SEQUENCES = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?/g
const SHORT_ESCAPES = /\u001b[ -/]*[0-~]?/g
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
const KEPT = /^\u001b\[[\d;:]*m$/

/**
 * The lines a terminal would show, as far as a still picture can: colours kept, progress that overwrites its line
 * with `\r` collapsed to what was last, everything that moves the cursor, sets titles or rings dropped.
 */
export function terminalLines(output: string): TerminalLine[] {
  const text = output.replace(STRINGS, '').replaceAll('\u009b', `${ESC}[`).replace(SEQUENCES, keepColour)
  const lines = text.split('\n').map(overwritten).join('\n')
  const out: TerminalPiece[][] = [[]]
  for (const part of Anser.ansiToJson(lines, { use_classes: true, remove_empty: true })) {
    part.content.split('\n').forEach((piece, index) => {
      if (index > 0) out.push([])
      const clean = piece.replace(SHORT_ESCAPES, '').replace(CONTROLS, '')
      if (clean !== '') out.at(-1)?.push({ text: clean, ...lookOf(part) })
    })
  }
  return out
}

/** Text that no terminal was meant to show. */
export function isBinary(text: string): boolean {
  const sample = text.slice(0, 4000)
  if (sample.includes('\0')) return true
  const odd = sample.match(/[\u0001-\u0006\u000e-\u001a\u001c-\u001f\ufffd]/g)?.length ?? 0
  return odd > 8 && odd > sample.length / 10
}

function keepColour(sequence: string): string {
  return KEPT.test(sequence) ? sequence.replaceAll(':', ';') : ''
}

/** `\r` goes back to the start of the line and what follows is written over it. */
function overwritten(line: string): string {
  const trimmed = line.endsWith('\r') ? line.slice(0, -1) : line
  const at = trimmed.lastIndexOf('\r')
  return at === -1 ? trimmed : (trimmed.split('\r').findLast(part => part.trim() !== '') ?? '')
}

type Part = ReturnType<typeof Anser.ansiToJson>[number]

function lookOf(part: Part): Omit<TerminalPiece, 'text'> {
  const worn = new Set<string>(part.decorations)
  if (worn.has('hidden')) return { dim: true }
  const [fg, bg] = worn.has('reverse') ? [part.bg, part.fg ?? 'ansi-white'] : [part.fg, part.bg]
  const hue = hueOf(fg, part.fg_truecolor)
  const ground = hueOf(bg, part.bg_truecolor)
  return {
    ...(hue !== null && { hue }),
    ...(ground !== null && { ground }),
    ...(worn.has('bold') && { strong: true as const }),
    ...(worn.has('dim') && { dim: true as const }),
    ...(worn.has('italic') && { italic: true as const }),
    ...(worn.has('underline') && { underline: true as const }),
  }
}

const HUES: readonly TerminalHue[] = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan']

/** The nearest of our hues, so that whatever a program asks for can be read on our ground. */
function hueOf(colour: string | null, rgb: string | null): TerminalHue | null {
  if (!colour) return null
  const name = colour.replace(/^ansi-(bright-)?/, '')
  const known = HUES.find(hue => hue === name)
  if (known !== undefined) return known
  if (colour === 'ansi-bright-black') return 'muted'
  if (name === 'black' || name === 'white') return null
  const palette = /^palette-(\d+)$/.exec(name)?.[1]
  return nearest(palette === undefined ? channels(rgb) : paletteChannels(Number(palette)))
}

function channels(rgb: string | null): readonly [number, number, number] {
  const [r = 0, g = 0, b = 0] = (rgb ?? '').split(',').map(Number)
  return [r, g, b]
}

/** The 6×6×6 cube and the greys of the 256-colour table. */
function paletteChannels(index: number): readonly [number, number, number] {
  if (index >= 232) return [128, 128, 128]
  const cube = Math.max(0, index - 16)
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40)
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]
}

function nearest([r, g, b]: readonly [number, number, number]): TerminalHue | null {
  const high = Math.max(r, g, b)
  const low = Math.min(r, g, b)
  if (!Number.isFinite(high) || high - low < 40) return high > 60 && high < 200 ? 'muted' : null
  const middle = (high + low) / 2
  const on = (channel: number) => channel > middle
  const bits = (on(r) ? 4 : 0) + (on(g) ? 2 : 0) + (on(b) ? 1 : 0)
  return ([null, 'blue', 'green', 'cyan', 'red', 'magenta', 'yellow', null] as const)[bits] ?? null
}

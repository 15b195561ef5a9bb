import { findSpans } from './find-spans.ts'
import { type RedactionOptions, redactText } from './redact-text.ts'

/** A secret of this length, with what gives it away, is found however the text is cut into pieces. */
const LONGEST = 64 * 1024

interface StreamOptions extends RedactionOptions {
  readonly longest?: number
}

export interface TextRedactor {
  /** Takes the next piece and gives what can be given by now. */
  push(piece: string): string
  /** The rest. */
  end(): string
}

/**
 * `redactText` for a text that comes in pieces and is never held whole: about twice `longest` characters are kept
 * back, and every cut lies where nothing is to be hidden.
 */
export function createTextRedactor({ longest = LONGEST, ...options }: StreamOptions = {}): TextRedactor {
  let kept = ''
  /** The rest of a secret longer than can be held follows. */
  let isInSecret = false

  const give = (to: number): string => {
    const text = redactText(kept.slice(0, to), options)
    kept = kept.slice(to)
    return text
  }

  return {
    push(piece) {
      const rest = isInSecret ? piece.replace(/^[^\s"'`]+/, '') : piece
      if (rest === '') return ''
      isInSecret = false
      kept += rest
      if (kept.length < 2 * longest) return ''
      const cut = safeCut(kept, kept.length - longest, options)
      if (cut > 0) return give(cut)
      // One secret fills all of it: it is hidden as far as it goes, and what follows belongs to it.
      isInSecret = true
      return give(kept.length)
    },
    end: () => give(kept.length),
  }
}

/** The last place up to `most` where a line begins and nothing to be hidden, nor its name, is cut; else any such place. */
function safeCut(text: string, most: number, { known = [] }: RedactionOptions): number {
  const spans = findSpans(text, known)
  const isInside = (at: number) => spans.some(({ from, end }) => from < at && at < end)
  for (const separator of ['\n', ' ', ',']) {
    for (
      let at = text.lastIndexOf(separator, most - 1);
      at >= 0;
      at = at === 0 ? -1 : text.lastIndexOf(separator, at - 1)
    ) {
      if (!isInside(at + 1)) return at + 1
    }
  }
  const span = spans.find(({ from, end }) => from < most && most < end)
  return span === undefined ? most : span.from
}

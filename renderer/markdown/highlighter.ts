import type { CodeLines, HighlightResponse } from './highlight-protocol.ts'
import { languageOf } from './language-name.ts'

const MAX_CODE = 60_000
const MAX_KEPT = 400
/** A worker that has not answered by then is stuck in a grammar: it is replaced. */
const DEADLINE_MS = 4000

type Settle = (lines: CodeLines | null) => void

const kept = new Map<string, CodeLines | null>()
const waiting = new Map<number, Settle>()
let worker: Worker | null = null
let nextId = 1

/** What an earlier request gave; `undefined` when there was none. */
export function highlighted(code: string, language: string): CodeLines | null | undefined {
  return kept.get(keyOf(code, language))
}

/** Colours for `code`, `null` when it stays plain: an unknown language, long text, no workers. Never rejects. */
export async function highlight(code: string, language: string): Promise<CodeLines | null> {
  const known = highlighted(code, language)
  if (known !== undefined) return known
  if (language === '' || code.length > MAX_CODE || typeof Worker === 'undefined') return null
  const lines = await ask(code, languageOf(language))
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? '')
  kept.set(keyOf(code, language), lines)
  return lines
}

function ask(code: string, language: string): Promise<CodeLines | null> {
  return new Promise(resolve => {
    const id = nextId++
    const deadline = setTimeout(stop, DEADLINE_MS)
    waiting.set(id, lines => {
      clearTimeout(deadline)
      waiting.delete(id)
      resolve(lines)
    })
    worker ??= start()
    worker.postMessage({ id, language, code })
  })
}

function start(): Worker {
  const fresh = new Worker(new URL('./highlight-worker.ts', import.meta.url), {
    type: 'module',
    name: 'highlight',
  })
  fresh.addEventListener('message', (message: MessageEvent<HighlightResponse>) =>
    waiting.get(message.data.id)?.(message.data.lines),
  )
  fresh.addEventListener('error', stop)
  return fresh
}

/** Everything asked of this worker stays plain; the next request starts another. */
function stop(): void {
  worker?.terminate()
  worker = null
  for (const settle of [...waiting.values()]) settle(null)
}

function keyOf(code: string, language: string): string {
  return `${languageOf(language)}\n${code}`
}

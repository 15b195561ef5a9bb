import { createHighlighterCore, type HighlighterCore } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import { classOf, codeTheme } from './code-theme.ts'
import type { CodeLines, CodePiece, HighlightRequest, HighlightResponse } from './highlight-protocol.ts'
import { GRAMMARS } from './languages.ts'

// Answers every request, in order of completion: a text that cannot be highlighted gets `null`.

let core: Promise<HighlighterCore> | undefined

async function highlight({ language, code }: HighlightRequest): Promise<CodeLines | null> {
  const load = Object.hasOwn(GRAMMARS, language) ? GRAMMARS[language] : undefined
  if (load === undefined) return null
  core ??= createHighlighterCore({
    themes: [codeTheme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  })
  const highlighter = await core
  await highlighter.loadLanguage(load)
  const options = { lang: language, theme: 'espalier', tokenizeMaxLineLength: 2000, tokenizeTimeLimit: 200 }
  return highlighter
    .codeToTokensBase(code, options)
    .map(line => joined(line.map(token => [token.content, classOf(token.color)])))
}

/** Neighbours of one class become one piece: fewer elements for the same picture. */
function joined(pieces: readonly CodePiece[]): CodePiece[] {
  const out: CodePiece[] = []
  for (const piece of pieces) {
    const last = out.at(-1)
    if (last !== undefined && (last[1] === piece[1] || piece[0].trim() === ''))
      out[out.length - 1] = [last[0] + piece[0], last[1]]
    else out.push(piece)
  }
  return out
}

addEventListener('message', (message: MessageEvent<HighlightRequest>) => {
  const { id } = message.data
  const answer = (lines: CodeLines | null) => postMessage({ id, lines } satisfies HighlightResponse)
  // A grammar that throws on hostile text costs that text its colours.
  highlight(message.data).then(answer, () => answer(null))
})

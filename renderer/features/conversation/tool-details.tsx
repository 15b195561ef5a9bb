import { textOf } from '#shared/session/content.ts'
import { DiffView } from '../../markdown/diff-view.tsx'
import { OutputText } from '../../markdown/output-text.tsx'
import { ContentImages } from './content-images.tsx'
import { CutTexts } from './output/cut-texts.tsx'
import { InterruptedOutput } from './output/interrupted-output.tsx'
import { KeptOutput } from './output/kept-output.tsx'
import { useOpenSession } from './output/use-open-session.ts'
import type { ToolRow } from './row.ts'
import styles from './tool-details.module.css'
import { codeWords } from './tool-words.ts'

/** What was asked, in full, and what came back. */
export function ToolDetails({ row }: { readonly row: ToolRow }) {
  const { result, verb, target } = row
  const name = `${verb} ${target}`
  const asked = askedText(row)
  const diff = result?.diff
  const failed = row.state === 'error'
  return (
    <div className={styles.details}>
      {asked !== null && diff === undefined && (
        <section className={styles.part} aria-label={`Arguments of ${name}`}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <pre className={styles.asked} dir="ltr" tabIndex={0}>
            {asked}
          </pre>
        </section>
      )}
      {row.cut !== undefined && <CutTexts seq={row.seq} cuts={row.cut} />}
      {result?.code !== undefined && (
        <p className={failed ? styles.problem : styles.said}>{codeWords(result.code)}</p>
      )}
      {diff !== undefined && (
        <section className={styles.part} aria-label={`Changes of ${name}`}>
          <DiffView diff={diff} path={target} />
        </section>
      )}
      {result !== null && (diff === undefined || failed) && (
        <section className={styles.part} aria-label={`Result of ${name}`}>
          <ToolOutput row={row} />
          <ContentImages content={result.content} />
        </section>
      )}
      {row.resultCut !== undefined && row.resultSeq !== null && (
        <CutTexts seq={row.resultSeq} cuts={row.resultCut} />
      )}
      {result === null && <p className={styles.said}>{waitingWords(row)}</p>}
    </div>
  )
}

function ToolOutput({ row }: { readonly row: ToolRow }) {
  const sessionId = useOpenSession()
  const { result, verb, target, callId } = row
  const text = result === null ? '' : textOf(result.content)
  const label = `Output of ${verb} ${target}`
  if (sessionId === null || result === null) return <OutputText text={text} label={label} />
  if (result.output !== undefined)
    return <KeptOutput {...{ sessionId, output: result.output, text, label }} />
  return (
    <>
      <OutputText text={text} label={label} />
      {result.code === 'TOOL_OUTCOME_UNKNOWN' && <InterruptedOutput {...{ sessionId, callId, label }} />}
    </>
  )
}

function waitingWords({ state }: ToolRow): string {
  if (state === 'running') return 'It runs. Its output comes when it is done.'
  if (state === 'denied') return 'You did not allow it. Nothing was done.'
  return state === 'asked' ? 'It has not started.' : 'The turn ended before there was a result.'
}

/** The command of a shell call, else every argument; `null` where the line above says it all. */
function askedText({ verb, target, input }: ToolRow): string | null {
  if (typeof input !== 'object' || input === null) return null
  const fields = Object.entries(input)
  const first = fields[0]?.[1]
  if (fields.length === 1 && first === target) return null
  if (verb === 'Run' && 'command' in input && typeof input.command === 'string') {
    return input.command === target ? null : input.command
  }
  return fields
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}`)
    .join('\n')
    .slice(0, 20_000)
}

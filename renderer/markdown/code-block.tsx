import { useState } from 'react'
import { IconButton } from '../ui/icon-button.tsx'
import styles from './code-block.module.css'
import { CodeText } from './code-text.tsx'
import { useHighlighted } from './use-highlighted.ts'

interface CodeBlockProps {
  readonly code: string
  readonly language: string
  /** Still being written: plain until it is whole. */
  readonly open?: boolean
}

/** Code as it was written: left to right, without ligatures, scrolling sideways on its own. */
export function CodeBlock({ code, language, open = false }: CodeBlockProps) {
  const lines = useHighlighted(code, language, !open)
  return (
    <div className={styles.block} dir="ltr">
      <span className={styles.bar}>
        <span className={styles.language}>{language}</span>
        <CopyButton text={code} label="Copy code" />
      </span>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{lines === null ? code : <CodeText lines={lines} />}</code>
      </pre>
    </div>
  )
}

/** Says that it copied by its name, and for a moment by a tick. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState<'no' | 'yes' | 'failed'>('no')
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied('yes'),
      () => setCopied('failed'),
    )
    setTimeout(() => setCopied('no'), 1600)
  }
  const said = copied === 'yes' ? 'Copied' : copied === 'failed' ? 'The browser refused to copy' : label
  return <IconButton size="small" icon={copied === 'yes' ? 'check' : 'copy'} label={said} onClick={copy} />
}

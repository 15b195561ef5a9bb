import { Children, isValidElement, type ReactNode } from 'react'
import type { Components } from 'react-markdown'
import { CodeBlock } from './code-block.tsx'
import styles from './markdown.module.css'
import { MarkdownImage } from './markdown-image.tsx'
import { MarkdownLink } from './markdown-link.tsx'
import { plainText } from './plain-text.ts'

/** Direction is each block's own; code is always left to right. */
const blocks: Components = {
  p: ({ children }) => <p dir="auto">{children}</p>,
  li: ({ children, className }) => (
    <li dir="auto" className={className}>
      {children}
    </li>
  ),
  blockquote: ({ children }) => <blockquote dir="auto">{children}</blockquote>,
  h1: ({ children }) => <h3 dir="auto">{children}</h3>,
  h2: ({ children }) => <h3 dir="auto">{children}</h3>,
  h3: ({ children }) => <h4 dir="auto">{children}</h4>,
  h4: ({ children }) => <h5 dir="auto">{children}</h5>,
  h5: ({ children }) => <h6 dir="auto">{children}</h6>,
  h6: ({ children }) => <h6 dir="auto">{children}</h6>,
  table: ({ children }) => (
    <div className={styles.tableBox}>
      <table>{children}</table>
    </div>
  ),
  th: ({ children, style }) => (
    <th dir="auto" style={style}>
      {children}
    </th>
  ),
  td: ({ children, style }) => (
    <td dir="auto" style={style}>
      {children}
    </td>
  ),
  code: ({ children }) => <code dir="ltr">{children}</code>,
  input: ({ checked }) => (
    <input
      type="checkbox"
      disabled
      checked={checked === true}
      aria-label={checked === true ? 'Done' : 'Open'}
    />
  ),
  a: ({ href, children }) => <MarkdownLink href={href}>{children}</MarkdownLink>,
  img: ({ src, alt }) => <MarkdownImage src={typeof src === 'string' ? src : undefined} alt={alt ?? ''} />,
}

export const markdownComponents: Components = { ...blocks, pre: ({ children }) => codeBlock(children, false) }
export const openComponents: Components = { ...blocks, pre: ({ children }) => codeBlock(children, true) }

function codeBlock(children: ReactNode, open: boolean): ReactNode {
  const code = Children.toArray(children).find(child => isValidElement<CodeProps>(child))
  if (!isValidElement<CodeProps>(code)) return <pre dir="ltr">{children}</pre>
  const language = /language-(\S+)/.exec(code.props.className ?? '')?.[1] ?? ''
  return (
    <CodeBlock code={plainText(code.props.children).replace(/\n$/, '')} language={language} open={open} />
  )
}

interface CodeProps {
  readonly className?: string
  readonly children?: ReactNode
}

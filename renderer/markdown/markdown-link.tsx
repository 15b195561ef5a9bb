import type { ReactNode } from 'react'
import styles from './markdown.module.css'
import { plainText } from './plain-text.ts'
import { misleadingHost, safeLink } from './safe-url.ts'

/** Opens outside. The true target is its title, and stands beside a text that names another host. */
export function MarkdownLink({
  href,
  children,
}: {
  readonly href: string | undefined
  readonly children: ReactNode
}) {
  const target = safeLink(href)
  if (target === null) return <span>{children}</span>
  const elsewhere = misleadingHost(plainText(children), target)
  return (
    <a href={target} title={target} target="_blank" rel="noopener noreferrer">
      {children}
      {elsewhere !== null && <span className={styles.host}> ({elsewhere})</span>}
    </a>
  )
}

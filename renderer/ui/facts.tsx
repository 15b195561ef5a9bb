import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import styles from './facts.module.css'

interface FactProps {
  readonly name: string
  readonly children: ReactNode
  readonly title?: string | undefined
}

/** A list of names and values. Its children are `Fact`s. */
export function Facts({
  children,
  className,
}: {
  readonly children: ReactNode
  readonly className?: string | undefined
}) {
  return <dl className={clsx(styles.facts, className)}>{children}</dl>
}

export function Fact({ name, children, title }: FactProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd title={title}>{children}</dd>
    </>
  )
}

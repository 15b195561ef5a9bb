import type { ReactNode } from 'react'
import styles from './settings.module.css'

interface PageHeadProps {
  readonly title: string
  readonly text: string
  readonly action?: ReactNode
}

export function PageHead({ title, text, action }: PageHeadProps) {
  return (
    <div className={styles.head}>
      <div>
        <h2>{title}</h2>
        <p>{text}</p>
      </div>
      {action}
    </div>
  )
}

import { formatCount, formatTokens } from '../../ui/format.ts'
import styles from './composer-foot.module.css'

const LENGTH = 2 * Math.PI * 5.5

/** How full the model's window is; the tokens alone where its size is unknown. */
export function ContextRing({ tokens, window }: { readonly tokens: number; readonly window: number | null }) {
  if (window === null || window <= 0) {
    return (
      <span className={styles.pick} title={`${formatCount(tokens)} tokens in the last request`}>
        <span className={styles.numbers}>{formatTokens(tokens)}</span>
        <span className={styles.faint}>tokens</span>
      </span>
    )
  }
  const share = Math.min(1, tokens / window)
  return (
    <span className={styles.pick} title={`Context: ${Math.round(share * 100)}% of ${formatTokens(window)}`}>
      <svg className={styles.ring} width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="5.5" className={styles.track} />
        <circle
          cx="8"
          cy="8"
          r="5.5"
          className={styles.fill}
          strokeDasharray={`${LENGTH * share} ${LENGTH}`}
          transform="rotate(-90 8 8)"
        />
      </svg>
      <span className={styles.numbers}>{Math.round(share * 100)}%</span>
    </span>
  )
}

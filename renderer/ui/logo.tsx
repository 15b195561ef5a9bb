import styles from './logo.module.css'

export function Logo({ size = 18 }: { readonly size?: number }) {
  return (
    <svg className={styles.logo} width={size} height={size} viewBox="0 0 18 18" aria-hidden="true">
      <path d="M9 16.25V2M9 13.75H4.25a2.5 2.5 0 0 1-2.5-2.5V9.5M9 13.75h4.75a2.5 2.5 0 0 0 2.5-2.5V9.5M9 8.75H7.25a2.25 2.25 0 0 1-2.25-2.25V4.5M9 8.75h1.75A2.25 2.25 0 0 0 13 6.5V4.5" />
    </svg>
  )
}

import { clsx } from 'clsx'
import styles from './icon.module.css'
import { ICONS, type IconName } from './icon-drawings.tsx'

export type { IconName } from './icon-drawings.tsx'

interface IconProps {
  readonly name: IconName
  /** Edge in px; 16 unless told. */
  readonly size?: number
  readonly className?: string | undefined
}

/** Always decoration: the name of a control stands on the control. */
export function Icon({ name, size = 16, className }: IconProps) {
  return (
    <svg
      className={clsx(styles.icon, className)}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      {ICONS[name]}
    </svg>
  )
}

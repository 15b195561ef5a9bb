import { clsx } from 'clsx'
import type { ComponentProps } from 'react'
import styles from './button.module.css'
import { Icon, type IconName } from './icon.tsx'
import { Keys } from './kbd.tsx'

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  readonly variant?: 'plain' | 'primary' | 'quiet' | 'danger'
  readonly size?: 'small' | 'medium' | 'big'
  readonly icon?: IconName
  /** Shown at the end and kept out of the name: `['Ctrl', 'N']`. */
  readonly keys?: readonly string[]
  /** Why it cannot be used now. The button stays focusable and says so. */
  readonly disabledReason?: string | null | undefined
}

/** One primary button per region. A button that cannot be used says why, in its description and on hover. */
export function Button(props: ButtonProps) {
  const {
    variant = 'plain',
    size = 'medium',
    icon,
    keys,
    disabledReason,
    className,
    children,
    ...rest
  } = props
  const disabled = disabledReason !== undefined && disabledReason !== null
  return (
    <button
      type="button"
      {...rest}
      {...(disabled && {
        'aria-disabled': true,
        'aria-description': disabledReason,
        title: disabledReason,
        onClick: event => event.preventDefault(),
      })}
      className={clsx(styles.button, styles[variant], styles[size], className)}
    >
      {icon !== undefined && <Icon name={icon} size={14} className={styles.icon} />}
      {children}
      {keys !== undefined && <Keys keys={keys} className={styles.keys} />}
    </button>
  )
}

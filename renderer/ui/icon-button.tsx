import { clsx } from 'clsx'
import type { ComponentProps } from 'react'
import { Icon, type IconName } from './icon.tsx'
import styles from './icon-button.module.css'
import { Tooltip } from './tooltip.tsx'

export interface IconButtonProps
  extends Omit<ComponentProps<'button'>, 'aria-label' | 'children' | 'disabled'> {
  readonly icon: IconName
  /** Its accessible name, also shown as a tooltip. */
  readonly label: string
  readonly size?: 'small' | 'medium'
  /** Pressed in: what it shows is open. */
  readonly on?: boolean
  readonly keys?: readonly string[]
  readonly iconSize?: number
  readonly disabledReason?: string | null | undefined
}

export function IconButton(props: IconButtonProps) {
  const {
    icon,
    label,
    size = 'medium',
    on = false,
    keys,
    iconSize,
    disabledReason,
    className,
    ...rest
  } = props
  const disabled = disabledReason !== undefined && disabledReason !== null
  const edge = iconSize ?? (size === 'small' ? 14 : 16)
  return (
    <Tooltip text={disabled ? `${label}: ${disabledReason}` : label} keys={keys}>
      <button
        type="button"
        {...rest}
        {...(disabled && {
          'aria-disabled': true,
          'aria-description': disabledReason,
          onClick: event => event.preventDefault(),
        })}
        aria-label={label}
        className={clsx(styles.iconButton, size === 'small' && styles.small, on && styles.on, className)}
      >
        <Icon name={icon} size={edge} />
      </button>
    </Tooltip>
  )
}

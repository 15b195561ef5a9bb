import { Menu as Base } from '@base-ui/react/menu'
import { clsx } from 'clsx'
import type { ReactElement, ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { Keys } from './kbd.tsx'
import styles from './menu.module.css'

interface MenuProps {
  /** One element that takes a ref and spreads its props. */
  readonly trigger: ReactElement<Record<string, unknown>>
  readonly children: ReactNode
  readonly align?: 'start' | 'center' | 'end'
  readonly side?: 'top' | 'bottom'
  readonly width?: number
  readonly onOpenChange?: (open: boolean) => void
}

export function Menu({
  trigger,
  children,
  align = 'start',
  side = 'bottom',
  width,
  onOpenChange,
}: MenuProps) {
  return (
    <Base.Root modal={false} {...(onOpenChange && { onOpenChange: (open: boolean) => onOpenChange(open) })}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className={styles.positioner}
        >
          <Base.Popup className={styles.menu} style={width === undefined ? undefined : { width }}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

export function MenuHead({ children }: { readonly children: ReactNode }) {
  return <div className={styles.head}>{children}</div>
}

export function MenuSeparator() {
  return <Base.Separator className={styles.separator} />
}

interface MenuItemProps {
  readonly onSelect: () => void
  readonly icon?: IconName
  /** Stands where an icon would: a status mark. */
  readonly mark?: ReactNode
  readonly keys?: readonly string[]
  readonly danger?: boolean
  /** It is the one in use. */
  readonly current?: boolean
  readonly disabledReason?: string | null | undefined
  readonly children: ReactNode
  /** What choosing it means, in a line of its own. */
  readonly text?: string
  /** At the right end. */
  readonly aside?: ReactNode
}

export function MenuItem(props: MenuItemProps) {
  const {
    onSelect,
    icon,
    mark,
    keys,
    danger = false,
    current = false,
    disabledReason,
    children,
    text,
    aside,
  } = props
  const disabled = disabledReason !== undefined && disabledReason !== null
  return (
    <Base.Item
      className={clsx(styles.item, danger && styles.danger, current && styles.current)}
      onClick={onSelect}
      disabled={disabled}
      {...(disabled && { title: disabledReason, 'aria-description': disabledReason })}
      {...(current && { 'aria-current': 'true' as const })}
    >
      {icon !== undefined && <Icon name={icon} size={14} />}
      {mark}
      <span className={styles.label}>
        {children}
        {text !== undefined && <small className={styles.text}>{text}</small>}
      </span>
      {aside !== undefined && <span className={styles.aside}>{aside}</span>}
      {keys !== undefined && <Keys keys={keys} />}
    </Base.Item>
  )
}

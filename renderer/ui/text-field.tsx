import { clsx } from 'clsx'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { Icon, type IconName } from './icon.tsx'
import styles from './text-field.module.css'

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'children'> {
  readonly icon?: IconName
  readonly error?: string | null | undefined
  readonly aside?: ReactNode
  readonly boxClassName?: string | undefined
}

/** A one-line input in a box. Its error is announced and belongs to it. */
export function TextField({ icon, error, aside, boxClassName, className, ...rest }: TextFieldProps) {
  const errorId = useId()
  const bad = error !== undefined && error !== null
  return (
    <>
      <span className={clsx(styles.box, bad && styles.invalid, boxClassName)}>
        {icon !== undefined && <Icon name={icon} size={14} className={styles.icon} />}
        <input
          {...rest}
          className={clsx(styles.input, className)}
          {...(bad && { 'aria-invalid': true, 'aria-describedby': errorId })}
        />
        {aside}
      </span>
      {bad && (
        <p id={errorId} className={styles.error} role="alert">
          {error}
        </p>
      )}
    </>
  )
}

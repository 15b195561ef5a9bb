import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement } from 'react'
import { Keys } from './kbd.tsx'
import styles from './tooltip.module.css'

export const TooltipProvider = Base.Provider

interface TooltipProps {
  readonly text: string
  readonly keys?: readonly string[] | undefined
  readonly side?: 'top' | 'bottom' | 'left' | 'right'
  /** One element that takes a ref and spreads its props. */
  readonly children: ReactElement<Record<string, unknown>>
}

/** Says again what the control's name says, for the eye. Never the only place of a fact. */
export function Tooltip({ text, keys, side = 'bottom', children }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} collisionPadding={8} className={styles.positioner}>
          <Base.Popup className={styles.tooltip}>
            {text}
            {keys !== undefined && <Keys keys={keys} className={styles.keys} />}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

import { Icon } from './icon.tsx'

export type ModeKind = 'continuable' | 'one-shot' | 'unknown'

const DRAWINGS = { continuable: 'bubbles', 'one-shot': 'receipt', unknown: 'unknown' } as const

/** Two bubbles take messages, a receipt answers once, a dashed square cannot be read. */
export function ModeMark({
  mode,
  className,
}: {
  readonly mode: ModeKind
  readonly className?: string | undefined
}) {
  return <Icon name={DRAWINGS[mode]} size={14} className={className} />
}

import { APPROVAL_MODE_WORDS, APPROVAL_MODES, type ApprovalMode } from '#shared/session/approval-mode.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { useApp } from '../../store/app-context.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu, MenuHead, MenuItem } from '../../ui/menu.tsx'
import { changeApprovalMode, type Problem } from './composer-actions.ts'
import styles from './composer-foot.module.css'

interface ApprovalModeMenuProps {
  readonly sessionId: SessionId
  readonly mode: ApprovalMode
  /** A child keeps the permissions it was started with. */
  readonly canChange: boolean
  readonly onProblem: (problem: Problem | null) => void
}

/** What the session does unasked, from the least to the most. */
export function ApprovalModeMenu({ sessionId, mode, canChange, onProblem }: ApprovalModeMenuProps) {
  const app = useApp()
  const { name, meaning } = APPROVAL_MODE_WORDS[mode]
  const content = (
    <>
      <Icon name="shield" size={14} />
      {name}
    </>
  )
  if (!canChange) {
    return (
      <span className={styles.pick} title={meaning}>
        {content}
      </span>
    )
  }
  return (
    <Menu
      side="top"
      align="end"
      width={300}
      trigger={
        <button type="button" className={styles.pick} title={meaning} aria-label={`Permissions: ${name}`}>
          {content}
        </button>
      }
    >
      <MenuHead>What it does unasked</MenuHead>
      {APPROVAL_MODES.map(one => (
        <MenuItem
          key={one}
          current={one === mode}
          text={APPROVAL_MODE_WORDS[one].meaning}
          onSelect={async () => onProblem(await changeApprovalMode(app, sessionId, one))}
        >
          {APPROVAL_MODE_WORDS[one].name}
        </MenuItem>
      ))}
    </Menu>
  )
}

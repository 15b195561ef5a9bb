import { useMemo, useState } from 'react'
import type { PendingApproval } from '#shared/contract.ts'
import type { ApprovalDecision } from '#shared/session/events.ts'
import { DiffView } from '../../markdown/diff-view.tsx'
import { Button } from '../../ui/button.tsx'
import { folderName } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuHead, MenuItem } from '../../ui/menu.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import styles from './approval-card.module.css'
import { type ApprovalSubject, approvalSubject, asksTo } from './approval-subject.ts'
import { countHidden } from './hidden-characters.ts'
import { useApprovalKeys } from './use-approval-keys.ts'
import { VisibleText } from './visible-text.tsx'

type AllowScope = Extract<ApprovalDecision, { kind: 'allow' }>['scope']

interface ApprovalCardProps {
  readonly pending: PendingApproval
  readonly position?: number
  readonly total?: number
  /** Resolves with what went wrong, `null` when the answer was taken. */
  readonly onDecide: (decision: ApprovalDecision) => Promise<string | null>
}

/** One question of one agent, the same in the child, in its root and in the list of what needs a person. */
export function ApprovalCard({ pending, position = 1, total = 1, onDecide }: ApprovalCardProps) {
  const { approval, label, path, cwd } = pending
  const subject = useMemo(() => approvalSubject(approval), [approval])
  const [state, setState] = useState<{ readonly busy: boolean; readonly problem: string | null }>({
    busy: false,
    problem: null,
  })
  const decide = async (decision: ApprovalDecision) => {
    if (state.busy) return
    setState({ busy: true, problem: null })
    setState({ busy: false, problem: await onDecide(decision) })
  }
  const allow = (scope: AllowScope) => decide({ kind: 'allow', scope })
  const deny = () => decide({ kind: 'deny' })
  const first = position === 1
  useApprovalKeys(first, { allow: () => allow('once'), deny })
  const waits = state.busy ? 'The answer is on its way' : null
  const hidden = countHidden(textOf(subject))

  return (
    <fieldset className={styles.approval} aria-label={`Approval for ${label}`}>
      <div className={styles.head}>
        <StatusMark kind="waiting" />
        <span className={styles.who}>
          <b dir="auto">{label}</b> {asksTo(approval)}
        </span>
        {path.length > 0 && (
          <span className={styles.path} title={path.join(' / ')}>
            in <bdi>{path.at(-1)}</bdi>
          </span>
        )}
        {total > 1 && (
          <span className={styles.count}>
            {position} of {total}
          </span>
        )}
      </div>
      <div className={styles.body}>
        <Subject subject={subject} cwd={cwd} />
        {hidden > 0 && (
          <p className={styles.warning} role="alert">
            <Icon name="warning" size={14} />
            {hidden === 1 ? 'One character' : `${hidden} characters`} in this cannot be seen or changes the
            reading order.
          </p>
        )}
        <div className={styles.actions}>
          <Button
            variant="primary"
            {...(first && { keys: ['Alt', 'A'], 'aria-keyshortcuts': 'Alt+A' })}
            disabledReason={waits}
            onClick={() => allow('once')}
          >
            Allow once
          </Button>
          <Button disabledReason={waits} onClick={() => allow('session')}>
            Allow for this session
          </Button>
          <Button
            title={`Covers ${approval.pattern}, in this folder`}
            disabledReason={waits}
            onClick={() => allow('workspace')}
          >
            Always allow
          </Button>
          <Menu trigger={<IconButton icon="chevronDown" label="More ways to allow" disabledReason={waits} />}>
            <MenuHead>Always allow {approval.pattern}</MenuHead>
            <MenuItem onSelect={() => allow('workspace')}>In this folder</MenuItem>
            <MenuItem onSelect={() => allow('always')}>In every folder</MenuItem>
          </Menu>
          <span className={styles.spacer} />
          <Button
            variant="quiet"
            {...(first && { keys: ['Alt', 'D'], 'aria-keyshortcuts': 'Alt+D' })}
            disabledReason={waits}
            onClick={deny}
          >
            Deny
          </Button>
        </div>
        {state.problem !== null && (
          <p className={styles.problem} role="alert">
            {state.problem}
          </p>
        )}
      </div>
    </fieldset>
  )
}

function Subject({ subject, cwd }: { readonly subject: ApprovalSubject; readonly cwd: string | null }) {
  if (subject.kind === 'change') {
    return (
      <div className={styles.change}>
        <div className={styles.file}>
          <Icon name="pencil" size={14} />
          <span dir="ltr">
            <VisibleText text={subject.path} />
          </span>
          <Folder cwd={cwd} />
        </div>
        <DiffView diff={subject.diff} path={subject.path} />
      </div>
    )
  }
  return (
    <div className={styles.command} dir="ltr">
      <Icon name={subject.kind === 'command' ? subject.icon : 'braces'} size={14} className={styles.icon} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className={styles.text} tabIndex={0}>
        <VisibleText text={subject.text} />
      </pre>
      <Folder cwd={cwd} />
    </div>
  )
}

function Folder({ cwd }: { readonly cwd: string | null }) {
  if (cwd === null) return null
  return (
    <span className={styles.folder} title={cwd}>
      {folderName(cwd)}
    </span>
  )
}

function textOf(subject: ApprovalSubject): string {
  return subject.kind === 'change' ? `${subject.path}${subject.diff}` : subject.text
}

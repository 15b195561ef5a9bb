import { clsx } from 'clsx'
import { useState } from 'react'
import type { Access } from '#shared/contract/session-shapes.ts'
import { APPROVAL_MODE_WORDS } from '#shared/session/approval-mode.ts'
import { plural, shortPath } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import styles from './restore-strip.module.css'

interface RestoreStripProps {
  readonly access: Extract<Access, { kind: 'resumable' }>
  readonly home: string | null
  /** Name of the persona, where the record has one. */
  readonly preset: string | null
}

/** What sending brings back, before it is sent. What cannot be restored stands there in red. */
export function RestoreStrip({ access, home, preset }: RestoreStripProps) {
  const [all, setAll] = useState(false)
  const { restores, problem } = access
  const { route, tools, persona, cwd } = restores
  const model =
    route === null
      ? null
      : route.effort === undefined
        ? route.model
        : `${route.model}, ${capitalised(route.effort)}`
  return (
    <div className={styles.strip} role="status" aria-label="What will be restored">
      <div className={styles.line}>
        <span className={styles.title}>
          <Icon name="retry" size={13} />
          Restores
        </span>
        <dl className={styles.facts}>
          <Entry name="Model" value={model} />
          <Entry name="Tools" value={plural(tools.length, 'tool')} title={tools.join(', ')} />
          <Entry
            name="Persona"
            value={preset !== null ? capitalised(preset) : persona === null ? 'Standard' : firstLine(persona)}
            title={persona ?? ''}
          />
          <Entry name="Folder" value={cwd === null ? null : shortPath(cwd, home)} title={cwd ?? ''} />
        </dl>
        <IconButton
          size="small"
          icon={all ? 'chevronUp' : 'chevronDown'}
          label={all ? 'Show less of what will be restored' : 'Show everything that will be restored'}
          aria-expanded={all}
          onClick={() => setAll(!all)}
        />
      </div>
      {problem !== null && <p className={styles.problem}>{problem}</p>}
      {all && (
        <dl className={styles.all}>
          <dt>Tools</dt>
          <dd>{tools.length === 0 ? 'None' : tools.join(', ')}</dd>
          <dt>Persona</dt>
          <dd dir="auto">{persona ?? 'Standard'}</dd>
          <dt>Folder</dt>
          <dd>{cwd ?? 'Not known'}</dd>
          <dt>Permission</dt>
          <dd>{APPROVAL_MODE_WORDS[restores.approvalMode].name}</dd>
        </dl>
      )}
    </div>
  )
}

function Entry(props: { readonly name: string; readonly value: string | null; readonly title?: string }) {
  const { name, value, title = '' } = props
  return (
    <div className={styles.entry}>
      <dt>{name}</dt>
      <dd className={clsx(value === null && styles.missing)} title={title === '' ? undefined : title}>
        {value ?? 'Not known'}
      </dd>
    </div>
  )
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? ''
  return line.length > 28 ? `${line.slice(0, 27)}…` : line
}

import type { ExportFormat } from '#shared/contract/export-shapes.ts'
import styles from './export-dialog.module.css'

export interface ExportChoice {
  readonly format: ExportFormat
  readonly tree: boolean
  readonly redact: boolean
}

const FORMATS: readonly { readonly value: ExportFormat; readonly label: string; readonly text: string }[] = [
  { value: 'md', label: 'Markdown', text: 'To read, paste and keep under version control' },
  { value: 'html', label: 'Web page', text: 'One file with images, to read and print anywhere' },
  {
    value: 'jsonl',
    label: 'JSON lines',
    text: 'Every event as it is in the log, one a line, with all output',
  },
]

interface ExportChoicesProps {
  readonly choice: ExportChoice
  readonly onChange: (choice: ExportChoice) => void
  readonly isFixed: boolean
}

export function ExportChoices({ choice, onChange, isFixed }: ExportChoicesProps) {
  return (
    <fieldset className={styles.choices} disabled={isFixed}>
      <legend>Format</legend>
      {FORMATS.map(({ value, label, text }) => (
        <label key={value} className={styles.choice}>
          <input
            type="radio"
            name="format"
            value={value}
            checked={choice.format === value}
            onChange={() => onChange({ ...choice, format: value })}
          />
          <span>
            {label}
            <small>{text}</small>
          </span>
        </label>
      ))}
      <label className={styles.choice}>
        <input
          type="checkbox"
          checked={choice.tree}
          onChange={event => onChange({ ...choice, tree: event.target.checked })}
        />
        <span>
          With all children
          <small>Every child at any depth, in the order of the tree</small>
        </span>
      </label>
      <label className={styles.choice}>
        <input
          type="checkbox"
          checked={choice.redact}
          onChange={event => onChange({ ...choice, redact: event.target.checked })}
        />
        <span>
          Redact secrets
          {choice.redact ? (
            <small>
              Keys, tokens and passwords that are known or look like it. Look the file through before you
              share it.
            </small>
          ) : (
            <small className={styles.warning}>
              The file will hold every key, token and password that is in the log.
            </small>
          )}
        </span>
      </label>
    </fieldset>
  )
}

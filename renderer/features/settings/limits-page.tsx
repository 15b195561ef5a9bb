import { type FormEvent, useState } from 'react'
import { type Limits, limitsSchema } from '#shared/settings.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { PageHead } from './page-head.tsx'
import styles from './settings.module.css'
import { updateSettings } from './update-settings.ts'

const FIELDS: readonly { readonly key: keyof Limits; readonly label: string; readonly unlimited: boolean }[] =
  [
    { key: 'depth', label: 'Levels of children', unlimited: false },
    { key: 'runningPerRoot', label: 'Children that run at once, for each session', unlimited: false },
    { key: 'turnsPerChild', label: 'Turns of a child', unlimited: false },
    { key: 'tokensPerRoot', label: 'Tokens of a session with its children', unlimited: true },
    { key: 'costUsdPerRoot', label: 'US dollars of a session with its children', unlimited: true },
  ]

export function LimitsPage() {
  const limits = useWorkbench(state => state.settings?.limits ?? null)
  return (
    <>
      <PageHead
        title="Limits"
        text="Checked before each request to a model. Over one, the turn ends and says so."
      />
      {limits !== null && <LimitsForm key={JSON.stringify(limits)} limits={limits} />}
    </>
  )
}

function LimitsForm({ limits }: { readonly limits: Limits }) {
  const app = useApp()
  const [errors, setErrors] = useState<ReadonlyMap<string, string>>(new Map())

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const read = Object.fromEntries(FIELDS.map(({ key }) => [key, numberOf(data.get(key))]))
    const parsed = limitsSchema.safeParse(read)
    if (parsed.success) {
      setErrors(new Map())
      void updateSettings(app, { limits: parsed.data })
      return
    }
    setErrors(new Map(parsed.error.issues.map(issue => [String(issue.path[0]), issue.message])))
  }

  return (
    <form className={styles.limits} onSubmit={submit} noValidate>
      {FIELDS.map(({ key, label, unlimited }) => (
        <div key={key} className={styles.limit}>
          <label htmlFor={`limit-${key}`}>{label}</label>
          <TextField
            id={`limit-${key}`}
            name={key}
            inputMode="decimal"
            defaultValue={limits[key] ?? ''}
            placeholder={unlimited ? 'No limit' : ''}
            error={errors.get(key) ?? null}
          />
        </div>
      ))}
      <div className={styles.formActions}>
        <Button type="submit" variant="primary">
          Save
        </Button>
      </div>
    </form>
  )
}

function numberOf(value: FormDataEntryValue | null): number | null {
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? null : Number(text)
}

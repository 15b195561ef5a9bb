import { type FormEvent, useState } from 'react'
import type { ProviderStatus } from '#shared/contract.ts'
import { type ProviderKind, providerKindSchema } from '#shared/settings.ts'
import { errorText } from '../../app/error-text.ts'
import { useApp } from '../../store/app-context.tsx'
import { failureOf } from '../../store/failure.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { readProvider } from './read-provider.ts'
import styles from './settings.module.css'

const KINDS: Readonly<Record<Exclude<ProviderKind, 'rehearsal'>, string>> = {
  'openai-compatible': 'OpenAI compatible',
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  google: 'Google',
  deepseek: 'DeepSeek',
}

type Said = { readonly tone: 'bad' | 'good' | 'busy'; readonly text: string } | null

interface ProviderFormProps {
  /** `null`: a new one. */
  readonly provider: ProviderStatus | null
  readonly onDone: () => void
}

/** Saves, then asks the provider for one tiny answer and shows the sentence that came of it. */
export function ProviderForm({ provider, onDone }: ProviderFormProps) {
  const app = useApp()
  const [kind, setKind] = useState<ProviderKind>(provider?.kind ?? 'openai-compatible')
  const [said, setSaid] = useState<Said>(null)

  async function saveAndTest(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const read = readProvider(new FormData(event.currentTarget), kind, provider)
    if (!read.ok) {
      setSaid({ tone: 'bad', text: read.problem })
      return
    }
    setSaid({ tone: 'busy', text: 'Saving and asking for one answer…' })
    try {
      await app.client.settings.saveProvider({
        provider: read.provider,
        ...(read.key !== '' && { key: read.key }),
      })
      const { ok, message } = await app.client.models.test({ providerId: read.provider.id })
      await app.sessions.refreshModels()
      setSaid({ tone: ok ? 'good' : 'bad', text: message })
    } catch (error) {
      setSaid({ tone: 'bad', text: sentence(error) })
    }
  }

  async function remove(providerId: string): Promise<void> {
    try {
      await app.client.settings.removeProvider({ providerId })
      await app.sessions.refreshModels()
      onDone()
    } catch (error) {
      setSaid({ tone: 'bad', text: sentence(error) })
    }
  }

  const id = provider?.id ?? 'new'
  return (
    <form className={styles.form} onSubmit={event => void saveAndTest(event)} noValidate>
      <label htmlFor={`kind-${id}`}>Kind</label>
      <select
        id={`kind-${id}`}
        className={styles.select}
        value={kind}
        onChange={event => setKind(providerKindSchema.parse(event.target.value))}
      >
        {Object.entries(KINDS).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <label htmlFor={`label-${id}`}>Name</label>
      <TextField id={`label-${id}`} name="label" defaultValue={provider?.label ?? ''} placeholder="Ollama" />
      <label htmlFor={`url-${id}`}>Address</label>
      <TextField
        id={`url-${id}`}
        name="baseUrl"
        type="url"
        defaultValue={provider?.baseUrl ?? ''}
        placeholder={kind === 'openai-compatible' ? 'http://127.0.0.1:11434/v1' : 'The usual one'}
        spellCheck={false}
      />
      <label htmlFor={`key-${id}`}>Key</label>
      <TextField
        id={`key-${id}`}
        name="key"
        type="password"
        icon="key"
        autoComplete="off"
        placeholder={KEY_HINTS[provider?.key ?? 'none']}
        aside={<span className={styles.faint}>Keychain</span>}
      />
      <label htmlFor={`models-${id}`}>Models</label>
      <TextField
        id={`models-${id}`}
        name="models"
        defaultValue={provider?.models.join(', ') ?? ''}
        placeholder="qwen3-coder, devstral-2"
        spellCheck={false}
      />
      <span />
      <div>
        {said !== null && (
          <p
            className={said.tone === 'bad' ? styles.fieldError : styles.fieldNote}
            role={said.tone === 'bad' ? 'alert' : 'status'}
          >
            {said.text}
          </p>
        )}
        <div className={styles.formActions}>
          <Button
            type="submit"
            variant="primary"
            disabledReason={said?.tone === 'busy' ? 'it is being saved' : null}
          >
            Save and test
          </Button>
          {provider !== null && (
            <Button variant="danger" onClick={() => void remove(provider.id)}>
              Remove provider
            </Button>
          )}
        </div>
      </div>
    </form>
  )
}

const KEY_HINTS: Readonly<Record<ProviderStatus['key'], string>> = {
  none: 'Paste a key, if it needs one',
  keychain: 'Kept. Paste a new one to replace it',
  environment: 'Comes from the environment',
  'not-needed': 'Not needed',
}

function sentence(error: unknown): string {
  const { code, detail } = failureOf(error)
  return code === 'INTERNAL' || code === 'BAD_REQUEST' ? `${errorText(code).what} ${detail}` : detail
}

import { useState } from 'react'
import type { ProviderStatus } from '#shared/contract.ts'
import { useWorkbench } from '../../store/app-context.tsx'
import { Button } from '../../ui/button.tsx'
import { plural } from '../../ui/format.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { PageHead } from './page-head.tsx'
import { ProviderForm } from './provider-form.tsx'
import styles from './settings.module.css'

const NEW = 'new provider'

export function ProvidersPage() {
  const providers = useWorkbench(state => state.providers)
  const [open, setOpen] = useState<string | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <PageHead
        title="Providers"
        text="Keys are kept in the system keychain and never written to a log."
        action={
          <Button icon="plus" onClick={() => setOpen(NEW)}>
            Add provider
          </Button>
        }
      />
      <ul className={styles.providers}>
        {open === NEW && (
          <li>
            <div className={styles.provider}>
              <Icon name="plug" />
              <span className={styles.providerName}>
                <b>New provider</b>
                <small>A hosted model, or one on this computer</small>
              </span>
              <span />
              <Button size="small" variant="quiet" onClick={close}>
                Close
              </Button>
            </div>
            <ProviderForm provider={null} onDone={close} />
          </li>
        )}
        {providers.map(provider => (
          <li key={provider.id}>
            <ProviderLine
              provider={provider}
              isOpen={open === provider.id}
              onToggle={() => setOpen(open === provider.id ? null : provider.id)}
            />
            {open === provider.id && <ProviderForm provider={provider} onDone={close} />}
          </li>
        ))}
      </ul>
    </>
  )
}

interface ProviderLineProps {
  readonly provider: ProviderStatus
  readonly isOpen: boolean
  readonly onToggle: () => void
}

function ProviderLine({ provider, isOpen, onToggle }: ProviderLineProps) {
  const { label, kind, ready, problem, key, models, baseUrl } = provider
  const word = isOpen ? 'Close' : key === 'none' ? 'Add key' : 'Edit'
  return (
    <div className={styles.provider}>
      <Icon name={iconOf(provider)} />
      <span className={styles.providerName}>
        <b>{label}</b>
        <small>
          {kind === 'rehearsal'
            ? 'Built in, scripted, no network'
            : [baseUrl, plural(models.length, 'model')].filter(Boolean).join(', ')}
        </small>
      </span>
      <span className={ready ? styles.providerState : `${styles.providerState} ${styles.bad}`}>
        {ready ? (
          <StatusMark kind="done" size={13} />
        ) : (
          key !== 'none' && <StatusMark kind="failed" size={13} />
        )}
        {ready ? 'Ready' : (problem ?? 'Not ready')}
      </span>
      {kind === 'rehearsal' ? (
        <span />
      ) : (
        <Button
          size="small"
          variant={isOpen ? 'quiet' : 'plain'}
          aria-label={`${word} ${label}`}
          onClick={onToggle}
        >
          {word}
        </Button>
      )}
    </div>
  )
}

function iconOf({ kind, baseUrl }: ProviderStatus): IconName {
  if (kind === 'rehearsal') return 'box'
  return baseUrl !== undefined && /\/\/(127\.|localhost|\[::1\])/.test(baseUrl) ? 'host' : 'plug'
}

import { useState } from 'react'
import { useWorkbench } from '../../../store/app-context.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import styles from './storage.module.css'

/** Where everything is, and what is to be known before it is handed to somebody. */
export function DataFolder() {
  const folder = useWorkbench(state => state.host?.dataFolder ?? null)
  const [copied, setCopied] = useState(false)
  if (folder === null) return null

  async function copy(path: string): Promise<void> {
    await navigator.clipboard.writeText(path)
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
  }

  return (
    <section className={styles.section} aria-label="Data folder">
      <h3>Data folder</h3>
      <div className={styles.line}>
        <code className={styles.path} title={folder}>
          {folder}
        </code>
        <IconButton
          icon={copied ? 'check' : 'copy'}
          size="small"
          label={copied ? 'Copied' : 'Copy the path of the data folder'}
          onClick={() => void copy(folder)}
        />
      </div>
      <p className={styles.note}>
        Only your account can read it. Session logs in it are kept word for word and are not redacted: keys
        and passwords that agents saw are in them. Exports leave out what looks like one.
      </p>
    </section>
  )
}

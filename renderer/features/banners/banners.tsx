import { clsx } from 'clsx'
import { useEffect, useState } from 'react'
import type { Banner } from '#shared/banner.ts'
import { errorText } from '../../app/error-text.ts'
import { dismissProblem, showOverlay } from '../../store/actions.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { dismissBanner, runBannerAction } from '../../store/banner-actions.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import styles from './banners.module.css'

/** States of the host that people must know, and what a press could not do. They push the work down, never cover it. */
export function Banners() {
  const banners = useWorkbench(state => state.banners)
  const urgentFirst = [...banners].sort(([, one], [, other]) => rankOf(one) - rankOf(other))
  return (
    <>
      {urgentFirst.map(([id, banner]) => (
        <HostBanner key={id} id={id} banner={banner} />
      ))}
      <Lost />
      <Problem />
    </>
  )
}

function rankOf({ level }: Banner): number {
  return level === 'alert' ? 0 : 1
}

function HostBanner({ id, banner }: { readonly id: string; readonly banner: Banner }) {
  const app = useApp()
  const { level, text, action, dismissible } = banner
  return (
    <div role={level} className={clsx(styles.banner, level === 'alert' ? styles.alert : styles.status)}>
      <Icon name={level === 'alert' ? 'warning' : 'host'} size={14} />
      <span className={styles.text}>{text}</span>
      {action !== undefined && (
        <Button size="small" onClick={() => runBannerAction(app, id, action)}>
          {action.label}
        </Button>
      )}
      {dismissible === true && (
        <IconButton icon="x" size="small" label="Dismiss" onClick={() => dismissBanner(app, id)} />
      )}
    </div>
  )
}

/** A line that comes back at once is no news. */
const NEWS_MS = 1500

/** Nothing here is current while the line is gone; what to do is said by whoever knows that more is needed. */
function Lost() {
  const lost = useWorkbench(state => state.connection === 'lost' && !state.banners.has('connection'))
  const [told, setTold] = useState(false)
  useEffect(() => {
    if (!lost) {
      setTold(false)
      return
    }
    const timer = setTimeout(() => setTold(true), NEWS_MS)
    return () => clearTimeout(timer)
  }, [lost])
  if (!lost || !told) return null
  return (
    <div role="status" className={clsx(styles.banner, styles.alert)}>
      <Icon name="warning" size={14} />
      <span className={styles.text}>
        <b>Espalier does not answer.</b> What is shown may be old, and nothing can be sent. This page connects
        again by itself; if it does not, start Espalier again.
      </span>
    </div>
  )
}

function Problem() {
  const app = useApp()
  const problem = useWorkbench(state => state.problem)
  if (problem === null) return null
  const { title, failure } = problem
  const { what, todo } = errorText(failure.code)
  const needsProvider = failure.code === 'MODEL_KEY_MISSING' || failure.code === 'MODEL_UNKNOWN'
  return (
    <div key={problem.id} role="alert" className={clsx(styles.banner, styles.problem)}>
      <Icon name="warning" size={14} />
      <span className={styles.text} title={failure.detail}>
        <b>{title}.</b> {failure.code === 'STORE_UNAVAILABLE' ? failure.detail : what} {todo}
        {failure.incident !== null && <span className={styles.incident}> Incident {failure.incident}</span>}
      </span>
      {needsProvider && (
        <Button size="small" onClick={() => showOverlay(app, { kind: 'settings', page: 'providers' })}>
          Providers
        </Button>
      )}
      <IconButton icon="x" size="small" label="Dismiss" onClick={() => dismissProblem(app)} />
    </div>
  )
}

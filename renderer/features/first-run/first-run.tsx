import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import type { SessionId } from '#shared/session/ids.ts'
import { newSession, openFolder, openSession, setExpanded, showOverlay } from '../../store/actions.ts'
import type { App } from '../../store/app.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import type { State } from '../../store/state.ts'
import { type Called, useCall } from '../../store/use-call.ts'
import { Button } from '../../ui/button.tsx'
import { folderName, plural } from '../../ui/format.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Logo } from '../../ui/logo.tsx'
import styles from './first-run.module.css'

type Found = Awaited<ReturnType<App['client']['imports']['find']>>

interface FirstRunProps {
  readonly renderSample: (rootId: SessionId) => ReactNode
}

/**
 * What stands in the centre when nothing is open: on a first run the ways to begin, with the live sample tree
 * beside them while there is nothing else; later the way on.
 */
export function FirstRun({ renderSample }: FirstRunProps) {
  const app = useApp()
  const host = useWorkbench(state => state.host)
  const latest = useWorkbench(state => state.settings?.workspaces[0] ?? state.host?.workspace ?? null)
  const found = useCall<Found>('imports', signal => app.client.imports.find(undefined, { signal }))
  const sample = host?.sampleRootId ?? null
  const sampleOnly = useWorkbench(state => hasOnly(state, sample))
  const explore = (rootId: SessionId) => {
    openSession(app, rootId)
    setExpanded(app, rootId, true)
  }
  const begun = latest !== null
  return (
    <div className={clsx(styles.firstRun, sampleOnly && styles.withSample)}>
      <div className={styles.page}>
        <div className={styles.main}>
          <Logo size={28} />
          <h2>{begun ? 'What should be done?' : 'Open a folder to start'}</h2>
          <p>
            {begun
              ? 'Start a session, or open one on the left. Children appear under it as rows.'
              : 'No account and no key needed. Everything stays on this computer.'}
          </p>
          <div className={styles.buttons}>
            {begun && (
              <Button
                variant="primary"
                size="big"
                icon="plus"
                keys={['Ctrl', 'N']}
                onClick={() => void newSession(app, latest)}
              >
                New session in {folderName(latest)}
              </Button>
            )}
            <Button
              variant={begun ? 'plain' : 'primary'}
              size="big"
              icon="folder"
              keys={['Ctrl', 'O']}
              onClick={() => void openFolder(app)}
            >
              Open folder
            </Button>
          </div>
          <ul className={styles.choices}>
            {sample !== null && (
              <Choice
                icon="branch"
                title="Explore the sample tree"
                text="A session with children in every state"
                className={styles.sampleChoice}
                onChoose={() => explore(sample)}
              />
            )}
            <Choice
              icon="play"
              title="Try the rehearsal model"
              text="Scripted answers, no network"
              onChoose={() => void rehearse(app)}
            />
            <Choice
              icon="plug"
              title="Add a provider"
              text="A hosted model, or one on this computer"
              onChoose={() => showOverlay(app, { kind: 'settings', page: 'providers' })}
            />
            <ImportChoice
              found={found}
              onChoose={() => showOverlay(app, { kind: 'settings', page: 'import' })}
            />
          </ul>
        </div>
        {sample !== null && sampleOnly && (
          <section className={styles.side} aria-label="Sample">
            <div className={styles.sideHead}>
              <h3>Sample tree</h3>
              <Button size="small" onClick={() => explore(sample)}>
                Explore
              </Button>
            </div>
            {renderSample(sample)}
          </section>
        )}
      </div>
    </div>
  )
}

/** Nothing but the sample's folder is there: nothing of the person's own yet. */
function hasOnly({ summaries }: State, sample: SessionId | null): boolean {
  const folder = sample === null ? undefined : summaries.get(sample)?.header.cwd
  return folder !== undefined && [...summaries.values()].every(({ header }) => header.cwd === folder)
}

/** A session that the rehearsal model answers, in the folder in use or else the home folder. */
async function rehearse(app: App): Promise<void> {
  const { settings, host, providers } = app.store.getState()
  const cwd = settings?.workspaces[0] ?? host?.workspace ?? host?.homeFolder
  const provider = providers.find(({ kind }) => kind === 'rehearsal')
  const model = provider?.models[0]
  if (cwd === undefined) return
  try {
    const route =
      provider === undefined || model === undefined ? {} : { route: { provider: provider.id, model } }
    const { sessionId } = await app.client.sessions.create({ cwd, ...route })
    await app.sessions.refreshRoots()
    openSession(app, sessionId)
    app.store.setState(({ composerFocus }) => ({ composerFocus: composerFocus + 1 }))
  } catch (error) {
    app.report('The rehearsal model could not be tried', error)
  }
}

function ImportChoice({ found, onChoose }: { readonly found: Called<Found>; readonly onChoose: () => void }) {
  if (found.status === 'loading') {
    return (
      <Choice
        icon="down"
        title="Import sessions"
        text="Looking for other tools on this computer…"
        onChoose={onChoose}
      />
    )
  }
  const sources = found.status === 'ready' ? found.value.sources : []
  const count = sources.reduce((sum, source) => sum + source.sessions, 0)
  if (count === 0) {
    return (
      <Choice
        icon="down"
        title="Import sessions"
        text="From a folder of another tool. Read only"
        onChoose={onChoose}
      />
    )
  }
  return (
    <Choice
      icon="down"
      title={`Import ${plural(count, 'session')}`}
      text={`Found in ${sources.map(source => source.tool).join(' and ')}. Read only`}
      onChoose={onChoose}
    />
  )
}

interface ChoiceProps {
  readonly icon: IconName
  readonly title: string
  readonly text: string
  readonly className?: string | undefined
  readonly onChoose: () => void
}

function Choice({ icon, title, text, className, onChoose }: ChoiceProps) {
  return (
    <li className={className}>
      <button type="button" className={styles.choice} onClick={onChoose}>
        <Icon name={icon} className={styles.choiceIcon} />
        <span>
          <b>{title}</b>
          <small>{text}</small>
        </span>
      </button>
    </li>
  )
}

import type { ModelRoute } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { Menu, MenuHead, MenuItem } from '../../ui/menu.tsx'
import { changeModel, type Problem } from './composer-actions.ts'
import styles from './composer-foot.module.css'

interface ModelMenuProps {
  readonly sessionId: SessionId
  readonly route: ModelRoute
  /** A child keeps the model it was started with. */
  readonly canChange: boolean
  readonly onProblem: (problem: Problem | null) => void
}

export function ModelMenu({ sessionId, route, canChange, onProblem }: ModelMenuProps) {
  const app = useApp()
  const providers = useWorkbench(state => state.providers)
  const name = (
    <>
      <span>{route.model}</span>
      {route.effort !== undefined && <span className={styles.faint}>{capitalised(route.effort)}</span>}
    </>
  )
  if (!canChange) {
    return (
      <span className={styles.pick} title="A child keeps the model it was started with">
        {name}
      </span>
    )
  }
  return (
    <Menu
      side="top"
      align="end"
      trigger={
        <button type="button" className={styles.pick} aria-label={`Model ${route.model}`}>
          {name}
        </button>
      }
    >
      {providers.map(provider => (
        <div key={provider.id}>
          <MenuHead>{provider.label}</MenuHead>
          {provider.models.map(model => (
            <MenuItem
              key={model}
              current={model === route.model && (route.provider === '' || route.provider === provider.id)}
              disabledReason={provider.ready ? null : (provider.problem ?? 'The provider is not ready')}
              onSelect={async () =>
                onProblem(await changeModel(app, sessionId, { provider: provider.id, model }))
              }
            >
              {model}
            </MenuItem>
          ))}
        </div>
      ))}
    </Menu>
  )
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

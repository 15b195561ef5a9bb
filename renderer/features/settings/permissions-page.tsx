import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { ChoiceGroup } from './choice-group.tsx'
import { PageHead } from './page-head.tsx'
import { updateSettings } from './update-settings.ts'

const MODES = [
  { value: 'ask', label: 'Ask first', text: 'Writing, running and the network wait for your answer' },
  { value: 'allow', label: 'Allow everything', text: 'Nothing waits. For folders that can be thrown away' },
] as const

export function PermissionsPage() {
  const app = useApp()
  const mode = useWorkbench(state => state.settings?.approvalMode ?? 'ask')
  return (
    <>
      <PageHead title="Permissions" text="For new sessions. A child keeps what it was created with." />
      <ChoiceGroup
        name="What agents may do unasked"
        value={mode}
        choices={MODES}
        onChange={value => void updateSettings(app, { approvalMode: value })}
      />
    </>
  )
}

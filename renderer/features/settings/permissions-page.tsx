import { APPROVAL_MODE_WORDS, APPROVAL_MODES } from '#shared/session/approval-mode.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { ChoiceGroup } from './choice-group.tsx'
import { PageHead } from './page-head.tsx'
import { updateSettings } from './update-settings.ts'

const MODES = APPROVAL_MODES.map(value => {
  const { name: label, meaning: text } = APPROVAL_MODE_WORDS[value]
  return { value, label, text }
})

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

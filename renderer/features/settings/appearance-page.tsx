import { useApp, useWorkbench } from '../../store/app-context.tsx'
import { ChoiceGroup } from './choice-group.tsx'
import { PageHead } from './page-head.tsx'
import { updateSettings } from './update-settings.ts'

const THEMES = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const
const CONTRASTS = [
  { value: 'system', label: 'As the system' },
  { value: 'normal', label: 'Normal' },
  { value: 'more', label: 'More', text: 'Words reach 7:1, lines and marks 4.5:1' },
] as const

export function AppearancePage() {
  const app = useApp()
  const theme = useWorkbench(state => state.settings?.theme ?? 'system')
  const contrast = useWorkbench(state => state.settings?.contrast ?? 'system')
  return (
    <>
      <PageHead title="Appearance" text="Motion follows the setting of the system." />
      <ChoiceGroup
        name="Theme"
        value={theme}
        choices={THEMES}
        onChange={value => void updateSettings(app, { theme: value })}
      />
      <ChoiceGroup
        name="Contrast"
        value={contrast}
        choices={CONTRASTS}
        onChange={value => void updateSettings(app, { contrast: value })}
      />
    </>
  )
}

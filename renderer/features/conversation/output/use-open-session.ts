import type { SessionId } from '#shared/session/ids.ts'
import { useWorkbench } from '../../../store/app-context.tsx'
import type { State } from '../../../store/state.ts'

const selectOpen = (state: State): SessionId | null => state.open

/** The session whose rows are shown. */
export function useOpenSession(): SessionId | null {
  return useWorkbench(selectOpen)
}

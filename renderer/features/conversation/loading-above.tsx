import type { SessionId } from '#shared/session/ids.ts'
import { useApp } from '../../store/app-context.tsx'
import type { AboveStatus } from '../../store/transcripts.ts'
import { Button } from '../../ui/button.tsx'

/** How the page above is doing. */
export function LoadingAbove({
  sessionId,
  above,
}: {
  readonly sessionId: SessionId
  readonly above: AboveStatus
}) {
  const app = useApp()
  if (above.kind === 'idle') return null
  if (above.kind === 'loading') return <span role="status">Reading earlier events</span>
  return (
    <>
      <span role="alert">Earlier events could not be read: {above.failure.detail}</span>
      <Button size="small" onClick={() => void app.transcripts.loadAbove(sessionId)}>
        Try again
      </Button>
    </>
  )
}

import { useMemo } from 'react'
import type { SessionId } from '#shared/session/ids.ts'
import { useApp } from '../../../store/app-context.tsx'
import { useCall } from '../../../store/use-call.ts'
import { KeptOutput } from './kept-output.tsx'
import { outputSource } from './output-source.ts'
import styles from './output-viewer.module.css'

const LOOK_BYTES = 4096

interface InterruptedOutputProps {
  readonly sessionId: SessionId
  readonly callId: string
  readonly label: string
}

/** What a call had put out when the workbench closed under it. Nothing, when nothing of it was stored. */
export function InterruptedOutput({ sessionId, callId, label }: InterruptedOutputProps) {
  const { client } = useApp()
  const source = useMemo(() => outputSource(client, sessionId, callId), [client, sessionId, callId])
  const look = useCall(`until ${sessionId} ${callId}`, signal =>
    source.read({ from: 0, length: LOOK_BYTES }, signal),
  )
  if (look.status !== 'ready' || look.value.size === 0) return null
  const { bytes, size } = look.value
  const binary = bytes.includes(0)
  return (
    <section aria-label={`${label} until then`}>
      <p className={styles.more}>What it had put out by then:</p>
      <KeptOutput
        sessionId={sessionId}
        output={{ id: callId, bytes: size, ...(binary && { binary }) }}
        text={new TextDecoder().decode(bytes)}
        label={label}
      />
    </section>
  )
}

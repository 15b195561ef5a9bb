import { useEffect, useState } from 'react'
import type { SessionId } from '#shared/session/ids.ts'
import type { App } from '../../store/app.ts'
import { useApp, useWorkbench } from '../../store/app-context.tsx'
import type { Transcript } from '../../store/transcripts.ts'
import { type Activity, activityOf } from './lane-activity.ts'
import type { Lane } from './lanes.ts'

/** Enough for the turns that a lane has room to show. */
const TAIL = 400
const AT_ONCE = 4

type Logs = ReadonlyMap<SessionId, { readonly version: string; readonly activity: Activity | null }>

/**
 * What the logs of these lanes say, read as they come into view and again when a lane's state changes. An open
 * conversation is not read twice. `null` of a log that could not be read; nothing while it is.
 */
export function useLaneLogs(lanes: readonly Lane[]): ReadonlyMap<SessionId, Activity | null> {
  const app = useApp()
  const [logs, setLogs] = useState<Logs>(new Map())
  const transcripts = useWorkbench(state => state.transcripts)
  const wanted = lanes.filter(
    lane => !isHeld(transcripts.get(lane.id)) && logs.get(lane.id)?.version !== lane.version,
  )
  const key = wanted.map(lane => `${lane.id} ${lane.version}`).join('\n')

  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` says when other logs are wanted
  useEffect(() => {
    if (wanted.length === 0) return
    const ending = new AbortController()
    void readAll(app, wanted, ending.signal).then(read => {
      if (!ending.signal.aborted) setLogs(held => new Map([...held, ...read]))
    })
    return () => ending.abort()
  }, [app, key])

  const found = new Map<SessionId, Activity | null>()
  for (const { id } of lanes) {
    const transcript = transcripts.get(id)
    const log = logs.get(id)
    if (isHeld(transcript)) found.set(id, activityIn(transcript))
    else if (log !== undefined) found.set(id, log.activity)
  }
  return found
}

function isHeld(transcript: Transcript | undefined): transcript is Transcript {
  return transcript?.status.kind === 'ready'
}

const folded = new WeakMap<Transcript['events'], Activity>()

function activityIn({ events, seedLength }: Transcript): Activity {
  const held = folded.get(events)
  if (held !== undefined) return held
  const activity = activityOf(events, seedLength)
  folded.set(events, activity)
  return activity
}

async function readAll(app: App, lanes: readonly Lane[], signal: AbortSignal): Promise<Logs> {
  const read = new Map<SessionId, { version: string; activity: Activity | null }>()
  const left = [...lanes]
  const worker = async () => {
    for (let lane = left.shift(); lane !== undefined && !signal.aborted; lane = left.shift()) {
      const activity =
        lane.tone === 'bad'
          ? null
          : await app.client.history.page({ sessionId: lane.id, limit: TAIL }, { signal }).then(
              page => activityOf(page.events, page.seedLength),
              // A log that cannot be read has a lane all the same, with what is known of it from elsewhere.
              () => null,
            )
      read.set(lane.id, { version: lane.version, activity })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return read
}

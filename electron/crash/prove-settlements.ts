import { readEvent } from '#shared/session/events.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { eventsOf } from '../tree-fixture.ts'
import type { Look } from './look.ts'
import type { Verdict } from './verdict.ts'

/** For a folder whose sessions all came to rest: the last end of every child reached its parent, and each end once. */
export function proveSettlements(
  looks: readonly Look[],
  parents: ReadonlySet<SessionId>,
  verdict: Verdict,
): void {
  for (const parent of looks) {
    const told = toldIn(parent, verdict)
    if (!parents.has(parent.id)) continue
    for (const { id, inspection } of looks) {
      const { origin, parentSession } = inspection.header
      if (origin !== 'subagent' || parentSession !== parent.id) continue
      const lastEnd = eventsOf(inspection.events, 'turn/end').at(-1)
      const heard = told.get(id)
      verdict.count('settled')
      if (heard === undefined) verdict.fault('settlements', `${parent.id} never heard of ${id}`)
      else if (lastEnd !== undefined && heard < lastEnd.seq)
        verdict.fault('settlements', `${parent.id} heard of the end ${heard} of ${id}, not of ${lastEnd.seq}`)
    }
  }
}

/** Per child the last of its ends that was told in this log itself. */
function toldIn({ id, inspection }: Look, verdict: Verdict): Map<SessionId, number> {
  const { events, header } = inspection
  const awaited = new Map<string, SessionId>()
  const told = new Map<SessionId, number>()
  const hear = (child: SessionId, seq: number) => {
    const before = told.get(child) ?? -1
    if (seq === before) verdict.fault('settlements', `${id} heard twice of the end ${seq} of ${child}`)
    told.set(child, Math.max(before, seq))
  }
  for (const event of events.slice(header.seedLength ?? 0).map(readEvent)) {
    if (event?.type === 'tool/call' && event.data.childId !== undefined)
      awaited.set(event.data.callId, event.data.childId)
    if (event?.type === 'subagent/settled') hear(event.data.childId, event.data.childSeq)
    if (event?.type !== 'tool/result' || event.data.childSeq === undefined) continue
    const child = awaited.get(event.data.callId)
    if (child !== undefined) hear(child, event.data.childSeq)
  }
  return told
}

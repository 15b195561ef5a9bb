import type { SessionId } from '#shared/session/ids.ts'
import type { Activity } from './lane-activity.ts'
import type { Lane } from './lanes.ts'

/** A line between two lanes: down when a child was started, back up when its parent heard how it ended. */
export interface LaneLink {
  readonly key: string
  readonly kind: 'start' | 'report'
  readonly parent: number
  readonly child: number
  /** Where it leaves and where it arrives, epoch ms. */
  readonly from: number
  readonly to: number
}

/** The links of the lanes whose logs were read: what is not known of a child has no line. */
export function linksOf(
  lanes: readonly Lane[],
  logs: ReadonlyMap<SessionId, Activity | null>,
): readonly LaneLink[] {
  const places = new Map(lanes.map((lane, index) => [lane.id, index]))
  return lanes.flatMap((lane, child) => {
    const parent = lane.parentId === null ? undefined : places.get(lane.parentId)
    const above = lane.parentId === null ? undefined : logs.get(lane.parentId)
    if (parent === undefined || above === null || above === undefined) return []
    const links: LaneLink[] = []
    const turns = logs.get(lane.id)?.turns ?? []
    const began = turns[0]?.from ?? lane.bar?.from
    const started = above.started.get(lane.id)
    if (started !== undefined && began !== undefined && began >= started)
      links.push({ key: `start ${lane.id}`, kind: 'start', parent, child, from: started, to: began })
    const settled = above.settled.get(lane.id)
    const ended = turns.at(-1)?.to ?? null
    if (settled !== undefined && ended !== null && settled >= ended)
      links.push({ key: `report ${lane.id}`, kind: 'report', parent, child, from: ended, to: settled })
    return links
  })
}

import type { Trace } from '#shared/contract/query-shapes.ts'
import type {
  HitAuthor,
  SearchAnswer,
  SearchHit,
  SearchRequest,
  SearchStatus,
} from '#shared/contract/search.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import { shortId } from '#shared/session/ids.ts'
import { type Actor, lineageIds, type World } from './world.ts'

const AUTHORS: Readonly<Record<string, HitAuthor>> = {
  'user/message': 'person',
  'assistant/message': 'agent',
  'tool/result': 'tool',
}
const BEFORE = 60
const LENGTH = 240

/** Search in the gallery's world: every word of the text as it stands, the latest first. */
export function searchIn(world: World, { text, limit, cursor, within }: SearchRequest): SearchAnswer {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const actors = [...world.actors.values()].filter(
    actor => within === undefined || lineageIds(world, actor).includes(within),
  )
  const all = words.length === 0 ? [] : actors.flatMap(actor => hitsOf(world, actor, words))
  all.sort((a, b) => b.time - a.time)
  const from = Number(cursor ?? 0)
  const next = from + limit < all.length ? String(from + limit) : null
  return { hits: all.slice(from, from + limit), next, status: searchStatusOf(world) }
}

export function searchStatusOf(world: World): SearchStatus {
  const events = [...world.actors.values()].reduce((sum, actor) => sum + actor.events.length, 0)
  return { state: 'ready', indexedEvents: events, totalEvents: events, done: true, problem: null }
}

export function traceOf(world: World, actor: Actor): Trace {
  const ids = lineageIds(world, actor)
  return {
    steps: ids.map((id, index) => ({ id, relation: index === 0 ? 'root' : 'subagent', seedLength: 0 })),
    origins: [{ sessionId: actor.id, from: 0, to: null }],
  }
}

function hitsOf(world: World, actor: Actor, words: readonly string[]): SearchHit[] {
  const [rootId = actor.id] = lineageIds(world, actor)
  return actor.events.flatMap(event => {
    const text = textOf(event)
    const lower = text.toLowerCase()
    if (!words.every(word => lower.includes(word))) return []
    const { seq, time, type } = event
    return {
      sessionId: actor.id,
      seq,
      time,
      type,
      author: AUTHORS[type] ?? 'record',
      excerpt: excerptOf(text, words),
      label: actor.label ?? shortId(actor.id),
      rootId,
    }
  })
}

function excerptOf(text: string, words: readonly string[]): SearchHit['excerpt'] {
  const line = text.replaceAll(/\s/g, ' ')
  const first = line.toLowerCase().indexOf(words[0] ?? '')
  const from = Math.max(0, first - BEFORE)
  const part = line.slice(from, from + LENGTH)
  const ranges = words
    .map(word => [part.toLowerCase().indexOf(word), word.length] as const)
    .filter(([at]) => at >= 0)
    .map(([at, length]): [number, number] => [at, at + length])
  return { text: part, ranges: ranges.sort(([a], [b]) => a - b) }
}

/** What is said in an event: the texts of its content. */
function textOf({ type, data }: StoredEvent): string {
  if (typeof data !== 'object' || data === null) return ''
  if (type === 'session/title' && 'title' in data) return String(data.title)
  if (!(type in AUTHORS) || !('content' in data) || !Array.isArray(data.content)) return ''
  return data.content.flatMap((block: { readonly text?: unknown }) => block.text ?? []).join('\n')
}

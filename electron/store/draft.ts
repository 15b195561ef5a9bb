import { z } from 'zod'
import type { Draft } from '#shared/session/closers.ts'
import { assistantContentSchema } from '#shared/session/content.ts'
import { modelRouteSchema, type StoredEvent } from '#shared/session/events.ts'
import { localIdSchema } from '#shared/session/ids.ts'

const draftSchema = z.object({
  id: localIdSchema,
  turn: z.number(),
  step: z.number(),
  content: assistantContentSchema,
  model: modelRouteSchema.nullable(),
})

/** `null` for text that holds no draft: at most a second of an unfinished message is missing then. */
export function readDraft(text: string | undefined): Draft | null {
  if (text === undefined) return null
  try {
    const { model, ...rest } = draftSchema.parse(JSON.parse(text))
    if (model === null) return { ...rest, model }
    const { effort, ...route } = model
    return { ...rest, model: effort === undefined ? route : { ...route, effort } }
  } catch {
    // Not JSON, or not a draft: the same as none.
    return null
  }
}

/** The draft, unless its finished message was logged before the draft was taken away. */
export function unfinished(draft: Draft | null, events: readonly StoredEvent[]): Draft | null {
  if (draft === null) return null
  const isLogged = events.some(({ type, data }) => type === 'assistant/message' && idOf(data) === draft.id)
  return isLogged ? null : draft
}

function idOf(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'id' in data ? data.id : undefined
}

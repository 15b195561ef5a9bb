import { z } from 'zod'
import { type Todo, todoSchema } from '../../session/events.ts'
import { defineUnit } from '../unit.ts'

const stateSchema = z.array(todoSchema)

/** The task list as last written. */
export const todos = defineUnit({
  key: 'todos',
  stateVersion: 1,
  stateSchema,
  init: (): Todo[] => [],
  apply: (state, event) => {
    if (event.type !== 'todo/write') return state
    const parsed = stateSchema.safeParse(event.data?.items)
    return parsed.success ? parsed.data : state
  },
  view: state => state,
  viewSchema: stateSchema,
})

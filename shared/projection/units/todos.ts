import { z } from 'zod'
import { type Todo, todoSchema } from '../../session/events.ts'
import { defineUnit } from '../unit.ts'

const stateSchema = z.array(todoSchema)

/** The task list as last written. */
export const todos = defineUnit({
  key: 'todos',
  stateVersion: 1,
  stateSchema,
  on: ['todo/write'],
  init: (): Todo[] => [],
  apply: (state, event) => {
    const parsed = stateSchema.safeParse(event.data?.items)
    return parsed.success ? parsed.data : state
  },
  view: state => state,
  viewSchema: stateSchema,
})

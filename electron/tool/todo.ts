import { z } from 'zod'
import { todoSchema } from '#shared/session/events.ts'
import { count } from './amount-text.ts'
import { okOutcome } from './outcome-text.ts'
import { defineTool } from './tool.ts'

const inputSchema = z.object({
  items: z
    .array(todoSchema.extend({ content: z.string().min(1).max(500) }))
    .max(100)
    .describe('The whole list, in order: it replaces the one before.'),
})
type TodoInput = z.infer<typeof inputSchema>

/** Answers only: the loop logs `todo/write` with the same `items` when this succeeded. */
export const todoTool = defineTool<TodoInput>({
  name: 'todo',
  description:
    'Writes the task list that people see: every task with its status. Keep one task in progress and update the ' +
    'list as soon as something is done.',
  inputSchema,
  toolClass: 'state',
  execute: async ({ items }) => {
    const done = items.filter(item => item.status === 'completed').length
    const text =
      items.length === 0 ? 'The task list is empty.' : `${count(items.length, 'task')}, ${done} done.`
    return okOutcome(text, { summary: items.length === 0 ? 'empty' : `${done} of ${items.length} done` })
  },
})

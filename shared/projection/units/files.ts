import { z } from 'zod'
import { defineUnit, isInherited } from '../unit.ts'

const stateSchema = z.array(z.string())

/** Paths that this session's own calls changed, in the order of their first change. */
export const files = defineUnit({
  key: 'files',
  stateVersion: 1,
  stateSchema,
  on: ['tool/result'],
  init: (): string[] => [],
  apply: (state, event, ctx) => {
    if (isInherited(event, ctx)) return state
    const changed: unknown = event.data?.files
    if (!Array.isArray(changed)) return state
    const fresh = changed.filter((path): path is string => typeof path === 'string' && !state.includes(path))
    return fresh.length === 0 ? state : [...state, ...new Set(fresh)]
  },
  view: state => state,
  viewSchema: stateSchema,
})

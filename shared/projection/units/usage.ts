import { z } from 'zod'
import { defineUnit, isInherited } from '../unit.ts'

const totalsSchema = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  reasoning: z.number(),
  /** `null`: the price of at least one request is unknown, or there was none. */
  costUsd: z.number().nullable(),
  requests: z.number(),
  /** Requests that reported no usage; those that were cut short are estimated all the same. */
  unreported: z.number(),
})
export type UsageTotals = z.infer<typeof totalsSchema>

const stateSchema = z.object({
  own: totalsSchema,
  inherited: totalsSchema,
  /** Tokens the last request put into the model's window. */
  context: z.number().nullable(),
  model: z.string().nullable(),
})
export type UsageState = z.infer<typeof stateSchema>

const NONE: UsageTotals = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  costUsd: null,
  requests: 0,
  unreported: 0,
}

/** Tokens and cost, own and inherited apart: an inherited prefix is never counted as a child's own work. */
export const usage = defineUnit({
  key: 'usage',
  stateVersion: 1,
  stateSchema,
  on: ['assistant/message'],
  init: (): UsageState => ({ own: NONE, inherited: NONE, context: null, model: null }),
  apply: (state, event, ctx) => {
    const part = isInherited(event, ctx) ? 'inherited' : 'own'
    const reported: unknown = event.data?.usage
    const model: unknown = event.data?.model?.model
    const totals = add(state[part], reported)
    const context = isRecord(reported)
      ? sum(sum(count(reported['input']), count(reported['cacheRead'])), count(reported['cacheWrite']))
      : state.context
    return { ...state, [part]: totals, context, model: typeof model === 'string' ? model : state.model }
  },
  view: state => state,
  viewSchema: stateSchema,
})

/** Tokens in and out, caches included: the one number of a row. */
export function tokensOf(totals: UsageTotals): number {
  return totals.input + totals.output + totals.cacheRead + totals.cacheWrite
}

function add(totals: UsageTotals, reported: unknown): UsageTotals {
  if (!isRecord(reported)) {
    return { ...totals, requests: totals.requests + 1, unreported: totals.unreported + 1 }
  }
  const cost = reported['costUsd']
  const known = isAmount(cost) && (totals.requests === 0 || totals.costUsd !== null)
  return {
    input: sum(totals.input, count(reported['input'])),
    output: sum(totals.output, count(reported['output'])),
    cacheRead: sum(totals.cacheRead, count(reported['cacheRead'])),
    cacheWrite: sum(totals.cacheWrite, count(reported['cacheWrite'])),
    reasoning: sum(totals.reasoning, count(reported['reasoning'])),
    costUsd: known ? sum(totals.costUsd ?? 0, cost) : null,
    requests: totals.requests + 1,
    unreported: totals.unreported + (reported['estimated'] === true ? 1 : 0),
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function count(value: unknown): number {
  return isAmount(value) ? value : 0
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

/** Numbers come from other programs: a sum stays one that JSON can hold. */
function sum(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER)
}

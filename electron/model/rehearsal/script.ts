import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { messageOf, WorkbenchError } from '#shared/errors.ts'

/**
 * What the prompt so far must say for a step to be played. `files`: a glob result named some. `settled`: no child that was
 * started is still out. `retried`: somebody wrote again since this turn began.
 */
const conditionSchema = z.enum([
  'files',
  'no-files',
  'settled',
  'waiting',
  'last-ok',
  'last-failed',
  'first-try',
  'retried',
])
export type Condition = z.infer<typeof conditionSchema>

/** One answer of the model: it is spoken in the order of these fields. Texts may hold `{{facts}}`. */
const stepSchema = z
  .strictObject({
    if: conditionSchema.optional(),
    /** At the usual pace; shorter at a faster one. */
    waitMs: z.number().int().positive().max(600_000).optional(),
    reasoning: z.string().min(1).optional(),
    text: z.string().min(1).optional(),
    calls: z
      .array(z.strictObject({ tool: z.string().min(1), input: z.record(z.string(), z.json()) }))
      .min(1)
      .optional(),
    /** The request fails as if a provider had answered with this HTTP status. */
    fail: z
      .strictObject({ status: z.number().int().min(400).max(599), message: z.string().min(1) })
      .optional(),
    /** Says nothing more until it is stopped. */
    stall: z.literal(true).optional(),
  })
  .refine(step => Object.keys(step).some(key => !['if', 'waitMs'].includes(key)), {
    message: 'the step does nothing',
  })
export type Step = z.infer<typeof stepSchema>

const stepsSchema = z
  .array(stepSchema)
  .min(1)
  .refine(steps => steps.at(-1)?.calls === undefined, {
    message: 'the last step may not call tools: nothing would follow',
  })

/** One role: its turns by what begins them. */
const partSchema = z.strictObject({
  name: z.string().min(1),
  who: z.enum(['root', 'child']),
  /** Plain words, in any case, one of which its first message holds. Absent: it takes what no other part takes. */
  says: z.array(z.string().min(3)).min(1).optional(),
  first: stepsSchema,
  /** A turn that begins with the result of a child. Absent: like any other message. */
  settled: stepsSchema.optional(),
  later: stepsSchema.optional(),
})
export type Part = z.infer<typeof partSchema>

const scriptSchema = z.strictObject({
  version: z.literal(1),
  title: z.string().min(1),
  parts: z.array(partSchema).min(1),
})
export type Script = z.infer<typeof scriptSchema>

/** @throws WorkbenchError `MODEL_FAILED` naming the script and what is wrong with it. */
export function parseScript(name: string, text: string): Script {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new WorkbenchError(
      'MODEL_FAILED',
      `The rehearsal script ${name} is no JSON: ${messageOf(cause)}.`,
      { cause },
    )
  }
  const parsed = scriptSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const problem = z.prettifyError(parsed.error).replaceAll(/\s+/g, ' ')
  throw new WorkbenchError('MODEL_FAILED', `The rehearsal script ${name} is wrong: ${problem}`, {
    cause: parsed.error,
  })
}

/** All `*.json` of a folder in the order of their names. Throws like `parseScript`, or when the folder cannot be read. */
export function readScripts(folder: string): readonly Script[] {
  const names = readdirSync(folder)
    .filter(name => name.endsWith('.json'))
    .toSorted()
  return names.map(name => parseScript(name, readFileSync(join(folder, name), 'utf8')))
}

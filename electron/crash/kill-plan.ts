import { z } from 'zod'
import { createRandom, type Random } from '../corpus/random.ts'

/** Where a life can end. The first group is what it logs, the second what it asks of its store. */
export const KILL_POINTS = [
  'turn',
  'call',
  'steer',
  'decision',
  'child-end',
  'settlement',
  'append',
  'create',
  'fork',
  'resume',
  'draft',
  'output',
  'checkpoint',
  'catch-up',
] as const
export type KillPoint = (typeof KILL_POINTS)[number]

const planSchema = z.object({
  /** Of everything that the life does by chance. */
  seed: z.number(),
  /** Counts over the whole run: the markers of a life begin with it. */
  life: z.number(),
  when: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('facts'), count: z.number() }),
    /** At the `nth` time that the point is reached, and so many microseconds into it. */
    z.object({ kind: z.literal('point'), point: z.enum(KILL_POINTS), nth: z.number(), delayUs: z.number() }),
    /** From outside, whatever it does. */
    z.object({ kind: z.literal('time'), afterUs: z.number() }),
  ]),
})
export type KillPlan = z.infer<typeof planSchema>

const MOST_FACTS = 200
const LONGEST_US = 1_000_000

/** A third by count, half by point, the rest by the clock. The same seed gives the same plans. */
export function planLives(seed: number, firstLife: number, lives: number): KillPlan[] {
  const random = createRandom(seed)
  return Array.from({ length: lives }, (_, index) => ({
    seed: random.below(2 ** 31),
    life: firstLife + index,
    when: planEnd(random),
  }))
}

function planEnd(random: Random): KillPlan['when'] {
  const dice = random.below(6)
  if (dice < 2) return { kind: 'facts', count: 1 + random.below(MOST_FACTS) }
  if (dice === 2) return { kind: 'time', afterUs: random.below(LONGEST_US) }
  const point = random.pick(KILL_POINTS)
  const isRare = point === 'draft' || point === 'catch-up'
  return {
    kind: 'point',
    point,
    nth: 1 + random.below(isRare ? 1 : 4),
    // Most writes take less than a millisecond: deaths are dense there, and reach into what comes after.
    delayUs: random.below(random.pick([60, 400, 2000, 20_000])),
  }
}

export function encodePlan(plan: KillPlan): string {
  return JSON.stringify(plan)
}

export function decodePlan(text: string): KillPlan {
  return planSchema.parse(JSON.parse(text))
}

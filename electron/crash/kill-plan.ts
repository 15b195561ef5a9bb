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
/** What comes often may come often before it ends a life; 4 times where nothing is said. */
const MOST_TIMES: Partial<Record<KillPoint, number>> = {
  append: 50,
  turn: 10,
  call: 10,
  checkpoint: 6,
  draft: 1,
  'catch-up': 1,
}

export interface LivesToPlan {
  readonly seed: number
  readonly firstLife: number
  readonly lives: number
  /** All of them end there. */
  readonly only?: KillPoint | undefined
}

/** A third by count, half by point, the rest by the clock. The same seed gives the same plans. */
export function planLives({ seed, firstLife, lives, only }: LivesToPlan): KillPlan[] {
  const random = createRandom(seed)
  return Array.from({ length: lives }, (_, index) => ({
    seed: random.below(2 ** 31),
    life: firstLife + index,
    when: only === undefined ? planEnd(random) : planPoint(only, random),
  }))
}

function planEnd(random: Random): KillPlan['when'] {
  const dice = random.below(6)
  if (dice < 2) return { kind: 'facts', count: 1 + random.below(MOST_FACTS) }
  if (dice === 2) return { kind: 'time', afterUs: random.below(LONGEST_US) }
  return planPoint(random.pick(KILL_POINTS), random)
}

function planPoint(point: KillPoint, random: Random): KillPlan['when'] {
  return {
    kind: 'point',
    point,
    nth: 1 + random.below(MOST_TIMES[point] ?? 4),
    // Most writes take less than a millisecond: deaths are dense there, and reach into what comes after.
    delayUs: random.below(random.pick([100, 1000, 5000, 25_000])),
  }
}

export function encodePlan(plan: KillPlan): string {
  return JSON.stringify(plan)
}

export function decodePlan(text: string): KillPlan {
  return planSchema.parse(JSON.parse(text))
}

import { messageOf } from '../errors.ts'
import { type Json, seal } from '../session/json.ts'
import { type Beginning, lookAt, settled } from './cell.ts'
import type { Unit } from './unit.ts'

/** What a list of units comes to, whatever the log. Units are named by their place in it. */
export interface UnitPlan {
  readonly units: readonly Unit[]
  /** Of a log without events. */
  readonly beginnings: readonly Beginning[]
  placeOf(key: string): number | undefined
  /** The units that an event of this type is for, in their order. */
  interestedIn(type: string): readonly number[]
}

const plans = new WeakMap<readonly Unit[], UnitPlan>()

/**
 * Made once for a list: a fold begins for every session.
 * @throws Error for two units of one key, and for a state version that is no count.
 */
export function planOf(units: readonly Unit[]): UnitPlan {
  const known = plans.get(units)
  if (known !== undefined) return known
  const plan = makePlan(units)
  plans.set(units, plan)
  return plan
}

function makePlan(listed: readonly Unit[]): UnitPlan {
  const units = [...new Set(listed)]
  const places = new Map<string, number>()
  for (const [place, { key, stateVersion }] of units.entries()) {
    if (places.has(key)) throw new Error(`two units are called ${key}`)
    if (!Number.isSafeInteger(stateVersion) || stateVersion < 0) {
      throw new Error(`the state version of ${key} is no count: ${stateVersion}`)
    }
    places.set(key, place)
  }
  const inAll = placesOf(units, ({ on }) => on === undefined)
  const types = new Set(units.flatMap(({ on }) => on ?? []))
  const byType = new Map<string, readonly number[]>(
    [...types].map(type => [type, placesOf(units, ({ on }) => on === undefined || on.includes(type))]),
  )
  return {
    units,
    beginnings: units.map(beginningOf),
    placeOf: key => places.get(key),
    interestedIn: type => byType.get(type) ?? inAll,
  }
}

function placesOf(units: readonly Unit[], isOne: (unit: Unit) => boolean): readonly number[] {
  return units.flatMap((unit, place) => (isOne(unit) ? [place] : []))
}

function beginningOf(unit: Unit): Beginning {
  try {
    const state = seal(settled(unit.init()))
    return { unit, state, fault: null, seq: -1, ...firstValue(unit, state) }
  } catch (error) {
    return { unit, state: null, fault: messageOf(error), seq: -1 }
  }
}

/** What it begins with is most of what a short log comes to. */
function firstValue(unit: Unit, state: unknown): { readonly seen?: Json } {
  try {
    return { seen: lookAt(unit, state) }
  } catch {
    // It breaks on the logs where it is looked at in this state, and says so there.
    return {}
  }
}

import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { messageOf } from '#shared/errors.ts'
import { backendOf } from '../store/open-backend.ts'
import { openStore, type Store } from '../store/store-client.ts'
import { eventsOf } from '../tree-fixture.ts'
import type { Death } from './live-and-die.ts'
import { type Look, lookAtAll, lookAtEffects } from './look.ts'
import { proveEffects, proveLog } from './prove-logs.ts'
import { Promises } from './prove-promises.ts'
import { proveSettlements } from './prove-settlements.ts'
import { proveIdentities, revive } from './revive.ts'
import { storedCheckpoints } from './stored-checkpoints.ts'
import type { Verdict } from './verdict.ts'

/** Judges one folder over all its lives. It reads with a store of its own, that knows nothing of what was promised. */
export class Referee {
  readonly #at: string
  readonly #dataFolder: string
  readonly #verdict: Verdict
  readonly #promises = new Promises()

  constructor(at: string, verdict: Verdict) {
    this.#at = at
    this.#dataFolder = join(at, 'data')
    this.#verdict = verdict
  }

  hear({ statements }: Death): void {
    this.#verdict.count('kills')
    for (const statement of statements)
      this.#verdict.count('acknowledged', this.#promises.hear(statement, this.#verdict))
  }

  /** After a death: everything that can be seen without writing. */
  async judge(): Promise<void> {
    await this.#withStore(store => this.#prove(store))
  }

  /** After the last death: what takes a resume of everybody. */
  async judgeFinally(): Promise<void> {
    await this.#withStore(async store => this.#proveLoads(store, await this.#prove(store)))
    const spokenTo = await revive(this.#at, this.#verdict)
    const looks = await this.#withStore(store => this.#prove(store))
    proveIdentities(looks, this.#verdict)
    proveSettlements(looks, spokenTo, this.#verdict)
    this.#count(looks)
  }

  /** How much there was that could have gone wrong. */
  #count(looks: readonly Look[]): void {
    this.#verdict.count('sessions', looks.length)
    for (const { inspection, outputs } of looks) {
      this.#verdict.count('events', inspection.events.length)
      this.#verdict.count('outputs', outputs.size)
      const own = inspection.events.slice(inspection.header.seedLength ?? 0)
      const codes = eventsOf(own, 'tool/result').map(({ data }) => data.code)
      this.#verdict.count('cutOff', codes.filter(code => code === 'TOOL_OUTCOME_UNKNOWN').length)
      this.#verdict.count('notStarted', codes.filter(code => code === 'TOOL_NOT_STARTED').length)
    }
  }

  async #prove(store: Store): Promise<Look[]> {
    const looks = await lookAtAll(store, this.#verdict)
    const effects = await lookAtEffects(this.#at)
    this.#promises.prove(looks, this.#verdict)
    const mayTear = backendOf(this.#dataFolder) === 'jsonl'
    for (const look of looks) proveLog(look, { effects, mayTear }, this.#verdict)
    proveEffects(looks, effects, this.#verdict)
    this.#proveCheckpoints(looks)
    return looks
  }

  #proveCheckpoints(looks: readonly Look[]): void {
    const ends = new Map(looks.map(({ id, rows }) => [id as string, rows.length]))
    for (const { id, key, seq } of storedCheckpoints(this.#dataFolder)) {
      const end = ends.get(id)
      if (end === undefined || seq >= end)
        this.#verdict.fault('checkpointsAhead', `${key} of ${id} is at ${seq}, the log ends before ${end}`)
    }
  }

  /** A strict load commits just what the look has shown. */
  async #proveLoads({ persistence }: Store, looks: readonly Look[]): Promise<void> {
    for (const { id, inspection } of looks) {
      try {
        const { events } = await persistence.load(id)
        const shown = inspection.events.slice(inspection.events.length - events.length)
        if (!isDeepStrictEqual(events, shown))
          this.#verdict.fault('unloadable', `${id} was closed in another way than it was shown`)
      } catch (error) {
        this.#verdict.fault('unloadable', `${id}: ${messageOf(error)}`)
      }
    }
  }

  async #withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const store = await openStore({ dataFolder: this.#dataFolder })
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  }
}
